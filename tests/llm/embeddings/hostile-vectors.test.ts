import { describe, expect, onTestFinished, test } from 'vitest';
import { base64 } from '../../support/model-server/embeddings.ts';
import { type Reply, startServer } from '../../support/model-server/server.ts';
import { connect } from '../served-llm.ts';

const signal = AbortSignal.timeout(60_000);

async function answered(body: string, rest: Partial<Reply> = {}) {
  const server = await startServer(() => ({ status: 200, parts: [body], ...rest }));
  onTestFinished(server.close);
  const llm = connect(`${server.url}/v1`, { kind: 'openai' });
  const result = await llm.embedder({ provider: 'p', model: 'e', dimensions: 2 }).embed(['one', 'two'], signal);
  return { result, server };
}

const data = (...vectors: unknown[]) => JSON.stringify({ data: vectors, usage: { total_tokens: 2 } });
const at = (index: unknown, embedding: unknown) => ({ index, embedding });

describe('vectors are accepted', () => {
  test.each<[string, string, number[][]]>([
    [
      'in base64',
      data(at(0, base64([1, 2])), at(1, base64([3, 0.5]))),
      [
        [1, 2],
        [3, 0.5],
      ],
    ],
    [
      'in another order',
      data(at(1, [3, 4]), at(0, [1, 2])),
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      'without an index',
      data({ embedding: [1, 2] }, { embedding: [3, 4] }),
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      'with an index of null',
      data(at(null, [1, 2]), at(null, [3, 4])),
      [
        [1, 2],
        [3, 4],
      ],
    ],
  ])('%s', async (_, body, vectors) => {
    expect((await answered(body)).result).toMatchObject({
      ok: true,
      vectors,
      usage: { inputTokens: 2, counted: true },
    });
  });

  test.each([
    ['a text', '"many"'],
    ['nothing', 'null'],
    ['an object', '{}'],
  ])('with usage that is %s', async (_, usage) => {
    const body = `{"data":${JSON.stringify([at(0, [1, 2]), at(1, [3, 4])])},"usage":{"total_tokens":${usage}}}`;
    const { result } = await answered(body);
    expect(result).toMatchObject({ ok: true, usage: { counted: false } });
    expect(result.usage.inputTokens).toBeGreaterThan(0);
  });
});

describe('vectors are refused, whatever is wrong with them', () => {
  const good = at(0, [1, 2]);
  test.each<[string, string, string]>([
    ['too few', data(good), 'got 1 vectors for 2 texts'],
    ['too many', data(good, at(1, [1, 2]), at(2, [1, 2])), 'got 3 vectors for 2 texts'],
    ['none', data(), 'got 0 vectors for 2 texts'],
    ['an index twice', data(good, at(0, [3, 4])), 'two vectors have the index 0'],
    ['an index beyond the texts', data(good, at(1e9, [1, 2])), 'has the index 1000000000, of 2 texts'],
    ['a negative index', data(good, at(-1, [1, 2])), 'has the index -1'],
    ['a fraction as index', data(good, at(0.5, [1, 2])), 'has the index 0.5'],
    ['a name as index', data(good, at('__proto__', [1, 2])), 'has the index "__proto__"'],
    ['one shorter', data(good, at(1, [1])), 'has 1 dimensions, expected 2'],
    ['numbers as texts', data(good, at(1, ['1', '2'])), 'not 32-bit floats'],
    ['null, which NaN becomes', data(good, at(1, [1, null])), 'not 32-bit floats'],
    ['infinity', data(good, at(1, [1, 2])).replace('[1,2]', '[1e999,2]'), 'not 32-bit floats'],
    ['beyond a 32-bit float', data(good, at(1, [1, 1e39])), 'not 32-bit floats'],
    ['NaN in base64', data(good, at(1, base64([1, Number.NaN]))), 'not 32-bit floats'],
    [
      'half a float in base64',
      data(good, at(1, Buffer.alloc(7).toString('base64'))),
      'neither a list of numbers nor base64',
    ],
    ['no base64', data(good, at(1, '!')), 'neither a list of numbers nor base64'],
    ['zero', data(good, at(1, [0, 0])), 'is zero'],
    ['an object', data(good, at(1, { a: 1 })), 'neither a list of numbers nor base64'],
    ['not there', data(good, { index: 1 }), 'neither a list of numbers nor base64'],
    ['null for a vector', data(good, null), 'neither a list of numbers nor base64'],
    ['no list', '{"data":{"0":[1,2]}}', 'the response has no vectors'],
    ['another form', '{"embeddings":[[1,2],[3,4]]}', 'the response has no vectors'],
    ['a list', '[]', 'the response has no vectors'],
    ['no JSON', '<html>', 'HTML page'],
  ])('%s', async (_, body, message) => {
    const { result, server } = await answered(body);
    expect(result).toMatchObject({ ok: false, failure: { kind: 'protocol' }, vectors: [], usage: { counted: false } });
    if (!result.ok) expect(result.failure.message).toContain(message);
    // It may have been paid for.
    expect(server.requests).toHaveLength(1);
  });

  test('an error with status 200 is that error', async () => {
    const said = { error: { message: 'Rate limit reached for key sk-abcdefgh12345678', type: 'rate_limit_exceeded' } };
    const { result } = await answered(JSON.stringify(said));
    expect(result).toMatchObject({ ok: false, failure: { kind: 'rate_limit' } });
    expect(JSON.stringify(result)).not.toContain('abcdefgh12345678');
  });

  test('a body beyond the limit is cut off, not read', async () => {
    const mebibyte = ' '.repeat(1 << 20);
    const { result } = await answered('{', { parts: ['{', ...Array<string>(40).fill(mebibyte)] });
    expect(result).toMatchObject({ ok: false, failure: { message: expect.stringContaining('too large') } });
  });
});

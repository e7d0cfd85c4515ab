import { describe, expect, onTestFinished, test } from 'vitest';
import type { EmbedderSettings } from '../../../src/llm/embeddings/open-embedder.ts';
import type { MockEmbeddings } from '../../support/model-server/embeddings.ts';
import { startOpenAiServer } from '../../support/model-server/openai.ts';
import type { ModelServer } from '../../support/model-server/server.ts';
import { instantClock } from '../instant-clock.ts';
import { connect } from '../served-llm.ts';

const signal = AbortSignal.timeout(60_000);

async function serve(
  answers: Parameters<typeof startOpenAiServer>[0] = [{}],
  vectors: MockEmbeddings = {},
): Promise<ModelServer> {
  const server = await startOpenAiServer(answers, vectors);
  onTestFinished(server.close);
  return server;
}

function embedderAt(server: ModelServer, settings: Partial<EmbedderSettings> = {}, clock = instantClock()) {
  const llm = connect(`${server.url}/v1`, { kind: 'openai' }, { clock });
  return llm.embedder({ provider: 'p', model: 'e', dimensions: 2, ...settings });
}

const inputs = (server: ModelServer) => server.requests.map(({ json }) => json?.['input']);

describe('vectors', () => {
  test('come in the order of the texts, batch by batch, though the server answers out of order', async () => {
    const server = await serve();
    const result = await embedderAt(server, { batchSize: 3 }).embed(['a', 'bb', '', 'dddd', 'eeeee'], signal);
    const vectors = [1, 2, 1, 4, 5].map((length) => [length, 1]);
    expect(result).toEqual({ ok: true, usage: { inputTokens: 6, counted: true }, vectors });
    expect(inputs(server)).toEqual([
      ['a', 'bb', ' '],
      ['dddd', 'eeeee'],
    ]);
  });

  test('of no texts make no request', async () => {
    const server = await serve();
    expect(await embedderAt(server).embed([], signal)).toMatchObject({ ok: true, vectors: [] });
    expect(server.requests).toHaveLength(0);
  });

  test('are asked for again after a failure that cost nothing, and a failure is a value', async () => {
    const embedder = embedderAt(await serve([{ status: 503 }, { status: 429 }, {}]));
    expect((await embedder.embed(['a'], signal)).ok).toBe(true);
    const refused = embedderAt(await serve([{ status: 401 }]));
    expect(await refused.embed(['a'], signal)).toMatchObject({ ok: false, failure: { kind: 'credentials' } });
  });

  test('are not paid for twice: a lost answer is a failure, and counts as an estimate', async () => {
    const server = await serve([{ finally: 'reset', stopAfter: 0 }, {}]);
    const lost = await embedderAt(server).embed(['a text of some words'], signal);
    expect(lost).toMatchObject({ ok: false, failure: { kind: 'connection' }, usage: { counted: false } });
    expect(lost.usage.inputTokens).toBeGreaterThan(3);
    expect(server.requests).toHaveLength(1);
  });

  test('are asked for only while they may be: before each request, retries included', async () => {
    const server = await serve([{}, { status: 503 }, {}]);
    const may = [true, true, false];
    const embedder = embedderAt(server, { batchSize: 2 });
    const result = await embedder.embed(['a', 'bb', 'ccc'], signal, async () => may.shift()!);
    expect(result).toMatchObject({
      ok: false,
      refused: false,
      failure: { kind: 'aborted' },
      usage: { inputTokens: 2 },
    });
    expect(result.vectors).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(server.requests).toHaveLength(2);
  });

  test('wait as long as a rate limit says, and an abort ends the wait', async () => {
    const clock = instantClock();
    const server = await serve([{ status: 429, headers: { 'retry-after': '20' } }, {}]);
    expect((await embedderAt(server, {}, clock).embed(['a'], signal)).ok).toBe(true);
    expect(clock.sleeps[0]).toBeGreaterThanOrEqual(20_000);
    const aborted = await embedderAt(server).embed(['a'], AbortSignal.abort());
    expect(aborted).toMatchObject({ ok: false, failure: { kind: 'aborted' } });
  });
});

describe('a request that is too much', () => {
  test('for the server is sent in halves', async () => {
    const server = await serve([{}], { maxTexts: 2 });
    const result = await embedderAt(server).embed(['a', 'bb', 'ccc', 'dddd', 'eeeee'], signal);
    expect(result).toMatchObject({ ok: true, vectors: [1, 2, 3, 4, 5].map((length) => [length, 1]) });
    expect(inputs(server).map((input) => (input as string[]).length)).toEqual([5, 3, 2, 1, 2]);
  });

  test('because of one text is cut to its beginning', async () => {
    const server = await serve([{}], { maxTokens: 100 });
    const result = await embedderAt(server).embed(['a', 'x'.repeat(1000), 'b'], signal);
    expect(result).toMatchObject({
      ok: true,
      vectors: [
        [1, 1],
        [250, 1],
        [1, 1],
      ],
    });
  });

  test('is not sent where the length of texts is known', async () => {
    const server = await serve([{}]);
    const embedder = embedderAt(server, { model: 'text-embedding-3-small', dimensions: 1536 });
    await embedder.embed(['word '.repeat(10_000)], signal);
    const [text] = inputs(server)[0] as string[];
    expect(Buffer.byteLength(text!) / 3.5).toBeLessThanOrEqual(8192);
  });

  test('stops at a text that is refused, and keeps what came before it', async () => {
    const server = await serve([{}], { forbidden: 'poison' });
    const embedder = embedderAt(server);
    const result = await embedder.embed(['a', 'bb', 'ccc', 'poison', 'eeeee'], signal);
    expect(result).toMatchObject({
      ok: false,
      refused: true,
      vectors: [
        [1, 1],
        [2, 1],
        [3, 1],
      ],
    });
    expect(result).toMatchObject({ failure: { kind: 'invalid_request' } });
    expect(await embedderAt(await serve([{ status: 500 }])).embed(['a', 'b'], signal)).toMatchObject({
      refused: false,
    });
  });
});

describe('dimensions', () => {
  const longer = (length: number): MockEmbeddings => ({ embed: () => Array.from({ length }, (_, at) => at + 1) });

  test('that the model does not make are refused, with the remedy', async () => {
    const server = await serve([{}], longer(3));
    const result = await embedderAt(server).embed(['a'], signal);
    expect(result).toMatchObject({ ok: false, failure: { kind: 'protocol' } });
    if (result.ok) return;
    expect(result.failure.message).toContain('has 3 dimensions, expected 2; set [embeddings] dimensions');
    // The same model answers in the same way again.
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [{ model: 'text-embedding-3-large', dimensions: 1024 }, 1024],
    [{ model: 'text-embedding-3-small', dimensions: 1536 }, undefined],
    [{ model: 'text-embedding-3-small', dimensions: 1536, requestDimensions: true }, 1536],
    [{ model: 'text-embedding-3-large', dimensions: 3072, requestDimensions: false }, undefined],
    [{ model: 'nomic', dimensions: 768 }, undefined],
  ])('are asked for only where a model shortens its vectors: %j', async (settings, sent) => {
    const server = await serve([{}], longer(settings.dimensions));
    expect((await embedderAt(server, settings).embed(['a'], signal)).ok).toBe(true);
    expect(server.requests[0]?.json?.['dimensions']).toBe(sent);
  });
});

describe('what texts cost', () => {
  test('is known for models of the catalogue, and at most what is held for them', async () => {
    const server = await serve();
    const llm = connect(`${server.url}/v1`, { kind: 'openai' });
    const unknown = llm.embedder({ provider: 'p', model: 'text-embedding-3-small', dimensions: 2 });
    expect(unknown.costUsd({ inputTokens: 1000, counted: true })).toBeNull();
    expect(unknown.costAtMost(['a']).usd).toBeNull();
  });

  test('is that of the configuration, or of the model that it is like', async () => {
    const { createLlm } = await import('../../../src/llm/llm.ts');
    const provider = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'k' } as const;
    const llm = createLlm({
      defaultProvider: 'openai',
      providers: { openai: provider, p: provider },
      models: {
        'p/own': { prices: { input: 0.5, output: 0, cacheRead: 0, cacheWrite: 0 } },
        'p/alias': { like: 'openai/text-embedding-3-large' },
      },
    });
    onTestFinished(() => llm.stop());
    const usd = (name: string, model: string) =>
      llm.embedder({ provider: name, model, dimensions: 2 }).costUsd({ inputTokens: 1_000_000, counted: true });
    expect(usd('openai', 'text-embedding-3-small')).toBe(0.02);
    expect(usd('p', 'own')).toBe(0.5);
    expect(usd('p', 'alias')).toBe(0.13);
    const { usd: held, tokens } = llm
      .embedder({ provider: 'openai', model: 'text-embedding-3-small', dimensions: 2 })
      .costAtMost(['four words of text', 'and']);
    expect(tokens).toBeGreaterThan(10);
    expect(held).toBeCloseTo((tokens * 0.02) / 1_000_000, 12);
  });
});

test('kinds of providers without embeddings are refused', () => {
  const llm = connect('http://127.0.0.1:9', { kind: 'anthropic' });
  expect(() => llm.embedder({ provider: 'p', model: 'e', dimensions: 2 })).toThrow(
    'provider p has no embeddings; use one of kind openai, azure or ollama',
  );
});

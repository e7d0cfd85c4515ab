/** What a broken or hostile server may send: a typed end in bounded time and memory, and no finished answer bought twice. */
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { Llm } from '../../src/llm/llm.ts';
import type { HttpProviderSettings } from '../../src/llm/provider-settings.ts';
import { type ModelServer, type Reply, startServer } from '../support/model-server/server.ts';
import { answered, call, failed, llmOf } from './llm-call.ts';

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of opened.splice(0).toReversed()) await end();
});

async function serve(reply: Reply): Promise<ModelServer> {
  const server = await startServer(() => reply);
  opened.push(server.close);
  return server;
}

function connect(server: ModelServer, settings: Partial<HttpProviderSettings> = {}): Llm {
  const llm = llmOf({ kind: 'anthropic', baseUrl: server.url, ...settings });
  opened.push(() => llm.stop());
  return llm;
}

const sse = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const start = sse({ type: 'message_start', message: { usage: { input_tokens: 3 } } });
const block = (index: number, content_block: object) => sse({ type: 'content_block_start', index, content_block });
const delta = (value: object) => sse({ type: 'content_block_delta', index: 0, delta: value });
const chunk = (content: object, finish_reason: string | null = null) =>
  sse({ choices: [{ index: 0, delta: content, finish_reason }] });

/** The parts of each wire's stream: a text, what ends the answer, and the end marker that is missing. */
const WIRES = [
  {
    kind: 'anthropic',
    text: [start, block(0, { type: 'text', text: 'whole' })],
    finish: [sse({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } })],
  },
  {
    kind: 'openai',
    text: [chunk({ content: 'whole' })],
    finish: [chunk({}, 'stop'), sse({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } })],
  },
] as const;

/** Only where a silence is to be noticed: a busy machine is silent now and then. */
const idle = (last: Reply['finally']) => (last === 'stall' ? { timeouts: { streamIdleMs: 400 } } : {});
const OK = { status: 200, headers: { 'content-type': 'text/event-stream' } };

describe.each(WIRES)('$kind: a stream without its end marker', ({ kind, text, finish }) => {
  test.each(['reset', 'stall', 'end'] as const)(
    'is the answer when stop reason and usage have come: %s',
    async (last) => {
      const server = await serve({ ...OK, parts: [...text, ...finish], finally: last });
      const response = answered(await call(connect(server, { kind, ...idle(last) })));
      expect(response).toMatchObject({ content: [{ text: 'whole' }], attempts: 1, usage: { input: 3, output: 2 } });
      expect(server.requests).toHaveLength(1);
    },
  );

  test.each(['reset', 'stall', 'end'] as const)('is a broken connection before that: %s', async (last) => {
    const server = await serve({ ...OK, parts: [...text, finish[0].slice(0, -20)], finally: last });
    const failure = failed(await call(connect(server, { kind, ...idle(last), retry: { maxAttempts: 2 } })));
    expect(failure).toMatchObject({ kind: last === 'stall' ? 'timeout' : 'connection', attempts: 2 });
  });
});

test('a body that is whole counts, though the server breaks the connection instead of ending it', async () => {
  const body = JSON.stringify({ content: [{ type: 'text', text: 'whole' }], stop_reason: 'end_turn' });
  for (const last of ['reset', 'stall'] as const) {
    const server = await serve({ status: 200, parts: [body], finally: last });
    expect(answered(await call(connect(server, { stream: false, ...idle(last) }))).attempts).toBe(1);
  }
});

const calls = Array.from({ length: 10_000 }, (_, index) =>
  block(index, { type: 'tool_use', id: `t${index}`, name: 'a' }),
);
const openaiCalls = Array.from({ length: 10_000 }, (_, index) =>
  chunk({ tool_calls: [{ index, id: `t${index}`, function: { name: 'a', arguments: '{}' } }] }),
);
const texts = Array.from({ length: 30_000 }, (_, index) => block(index, { type: 'text', text: '' }));
const long = 'x'.repeat(1024 * 1024);
const mebibyte = `: ${'x'.repeat(1024 * 1024)}\n`;

describe('an answer beyond a limit is refused, and not asked for again', () => {
  test.each([
    ['10,000 calls', 'anthropic', [start, ...calls], 'more than 1000 tool calls'],
    ['10,000 calls', 'openai', openaiCalls, 'more than 1000 tool calls'],
    [
      '10,000 calls in one event',
      'openai',
      [chunk({ tool_calls: Array.from({ length: 10_000 }, () => ({ id: '', function: { name: 'a' } })) })],
      'more than 1000 tool calls',
    ],
    ['30,000 blocks', 'anthropic', [start, ...texts], 'more than 20000 parts'],
    [
      '20 MB of text',
      'anthropic',
      [start, block(0, { type: 'text' }), ...Array(20).fill(delta({ type: 'text_delta', text: long }))],
      'characters',
    ],
    [
      '20 MB of arguments',
      'anthropic',
      [
        start,
        block(0, { type: 'tool_use' }),
        ...Array(20).fill(delta({ type: 'input_json_delta', partial_json: long })),
      ],
      'characters',
    ],
    [
      '20 MB of an unknown block',
      'anthropic',
      [start, ...Array(20).fill(block(0, { type: 'new', data: long }))],
      'characters',
    ],
    ['20 MB of reasoning', 'openai', Array(20).fill(chunk({ reasoning: long })), 'characters'],
    [
      '20 MB of encrypted reasoning',
      'openai',
      Array(20).fill(chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: long }] })),
      'characters',
    ],
    ['130 MB of comments', 'anthropic', [start, ...Array(135).fill(mebibyte)], 'the response body is too large'],
    ['a JSON body of 40 MB', 'openai', ['{"choices": ["', ...Array(40).fill(long)], 'the response body is too large'],
  ] as const)('%s, %s', async (_, kind, parts, message) => {
    const server = await serve({ ...OK, parts });
    const failure = failed(await call(connect(server, { kind })));
    expect(failure).toMatchObject({ kind: 'protocol', attempts: 1, message: expect.stringContaining(message) });
  });
});

describe('the body of an error', () => {
  test.each(['end', 'reset', 'stall'] as const)(
    'is read to 64 K characters, and its status decides: %s',
    async (last) => {
      const server = await serve({ status: 401, parts: Array(16).fill(long), finally: last });
      expect(failed(await call(connect(server)))).toMatchObject({ kind: 'credentials', attempts: 1, httpStatus: 401 });
      expect(await (await server.received(1)).ended).toEqual({ cutByClient: true });
    },
  );

  test.each(['reset', 'stall'] as const)('need not end: %s', async (last) => {
    const server = await serve({ status: 529, parts: ['{"error":'], finally: last });
    const failure = failed(await call(connect(server, { ...idle(last), retry: { maxAttempts: 2 } })));
    expect(failure).toMatchObject({ kind: 'overloaded', attempts: 2, httpStatus: 529 });
  });

  test('may not drip for ever', async () => {
    const server = await serve({ status: 500, parts: [' '.repeat(10_000)], pieceBytes: 1, everyMs: 5 });
    const settings = { timeouts: { streamIdleMs: 3000, totalMs: 15_000 }, retry: { maxAttempts: 1 } };
    expect(failed(await call(connect(server, settings)))).toMatchObject({ kind: 'overloaded', httpStatus: 500 });
  });

  test('may be nested as deep as it likes', async () => {
    const deep = '['.repeat(30_000) + ']'.repeat(30_000);
    const server = await serve({ status: 422, parts: [`{"detail":${deep}}`] });
    expect(failed(await call(connect(server, { kind: 'openai' })))).toMatchObject({ kind: 'invalid_request' });
  });
});

describe('a response that is compressed', () => {
  const body = gzipSync(JSON.stringify({ content: [] }));

  test('is not asked for, and refused when it comes', async () => {
    const server = await serve({
      status: 200,
      headers: { 'content-encoding': 'gzip' },
      parts: [body],
      finally: 'stall',
    });
    const failure = failed(await call(connect(server)));
    expect(failure).toMatchObject({ kind: 'protocol', attempts: 1, message: expect.stringContaining('gzip') });
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  test('keeps the meaning of its status', async () => {
    const headers = { 'content-encoding': 'br', 'retry-after': '3600' };
    const server = await serve({ status: 429, headers, parts: [body], finally: 'stall' });
    expect(failed(await call(connect(server)))).toMatchObject({ kind: 'rate_limit', retryAfterMs: expect.any(Number) });
  });

  test('is seen without its header, too', async () => {
    const server = await serve({ status: 200, parts: [body], finally: 'stall' });
    const failure = failed(await call(connect(server)));
    expect(failure).toMatchObject({ kind: 'protocol', attempts: 1, message: expect.stringContaining('binary') });
  });
});

describe('the same holds for embeddings and for the probe', () => {
  const embed = (llm: Llm) => {
    const embedder = llm.embedder({ provider: 'p', model: 'm', dimensions: 2 });
    return embedder.embed(['a'], AbortSignal.timeout(20_000));
  };
  const vectors = JSON.stringify({ data: [{ index: 0, embedding: [1, 2] }], usage: { total_tokens: -1.5 } });
  const openai = { kind: 'openai', retry: { maxAttempts: 1 } } as const;

  test('vectors that are whole count', async () => {
    for (const last of ['reset', 'stall', 'end'] as const) {
      const server = await serve({ status: 200, parts: [vectors], finally: last });
      expect(await embed(connect(server, { ...openai, ...idle(last) }))).toEqual({
        ok: true,
        vectors: [[1, 2]],
        usage: { inputTokens: 1, counted: false },
      });
    }
  });

  test.each<[string, Reply, string]>([
    ['an error without end', { status: 401, parts: Array(16).fill(long), finally: 'stall' }, 'credentials'],
    ['an error that stalls', { status: 503, parts: ['{'], finally: 'stall' }, 'overloaded'],
    ['gzip', { status: 200, headers: { 'content-encoding': 'gzip' }, parts: [gzipSync(vectors)] }, 'protocol'],
    ['a deep body', { status: 200, parts: ['['.repeat(100_000), ']'.repeat(100_000)] }, 'protocol'],
    ['a body without end', { status: 200, parts: Array(40).fill(long) }, 'protocol'],
  ])('%s', async (_, reply, kind) => {
    const server = await serve(reply);
    const llm = connect(server, { ...openai, ...idle(reply.finally) });
    expect(await embed(llm)).toMatchObject({ ok: false, failure: { kind } });
    expect(await llm.probe('m', AbortSignal.timeout(20_000))).toMatchObject({ ok: false, failure: { kind } });
  });
});

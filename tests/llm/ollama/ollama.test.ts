import { afterEach, describe, expect, test } from 'vitest';
import type { LlmEvent, LlmRequest } from '../../../src/llm/client.ts';
import { createLlm } from '../../../src/llm/llm.ts';
import { type OllamaAnswer, ollamaLines, startOllamaServer } from '../../support/model-server/ollama.ts';
import { startServer } from '../../support/model-server/server.ts';
import { answered, call, failed } from '../llm-call.ts';

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of opened.splice(0).toReversed()) await end();
});

async function serve(...args: Parameters<typeof startOllamaServer>) {
  const server = await startOllamaServer(...args);
  opened.push(server.close);
  return server;
}

function connect(baseUrl: string, contextWindow = 8192, stream = true, images = true) {
  const provider = { kind: 'ollama', baseUrl, apiKey: null, stream, retry: { maxAttempts: 1 } } as const;
  const llm = createLlm({
    defaultProvider: 'p',
    providers: { p: provider },
    models: { 'p/*': { contextWindow, images } },
  });
  opened.push(() => llm.stop());
  return llm;
}

const MODEL = { model: 'qwen3:8b' };
const ANSWER: OllamaAnswer = {
  thinking: 'which file, I wonder',
  text: 'Ich öffne die Datei.',
  calls: [
    { name: 'read_file', input: { path: 'b', a: 1 } },
    { id: 'call_7', name: 'read_file', input: {} },
  ],
};

describe('an answer of Ollama', () => {
  test.each(['', '/', '/v1', '/api/'])(
    'is asked for at its own API, with the window that animus counts with (%j)',
    async (path) => {
      const server = await serve([ANSWER]);
      const events: LlmEvent[] = [];
      const response = answered(await call(connect(`${server.url}${path}`), MODEL, (each) => events.push(each)));
      expect(server.requests[0]).toMatchObject({
        path: '/api/chat',
        json: { truncate: false, shift: false, stream: true, options: { num_ctx: 8192, num_predict: 100 } },
      });
      expect(response).toMatchObject({ stopReason: 'tool_use', usage: { output: 10 }, cutToolCalls: [] });
      expect(response.content).toMatchObject([
        { type: 'thinking', text: ANSWER.thinking },
        { type: 'text', text: ANSWER.text },
        { type: 'tool_call', id: expect.stringMatching(/^call_/), name: 'read_file', input: { path: 'b', a: 1 } },
        { type: 'tool_call', id: 'call_7', input: {} },
      ]);
      expect(JSON.stringify(response.content[2])).toContain('{"path":"b","a":1}');
      const shown = events.flatMap((each) => (each.type === 'text' ? each.text : []));
      expect(shown.length).toBeGreaterThan(1);
    },
  );

  test('is the same whole, in pieces of any size, and with line ends of Windows', async () => {
    const body = ollamaLines(ANSWER, MODEL).map((line) => JSON.stringify(line));
    const reference = answered(await call(connect((await serve([ANSWER])).url, 8192, false), MODEL));
    for (const [text, pieceBytes] of [
      [body.join('\n'), 1],
      [`${body.join('\n')}\n`, 3],
      [body.join('\r\n'), 7],
      [`\n${body.join('\n\n')}\n`, 1000],
    ] as const) {
      const server = await startServer(() => ({ status: 200, parts: [Buffer.from(text)], pieceBytes }));
      opened.push(server.close);
      const response = answered(await call(connect(server.url), MODEL));
      const withoutIds = (content: unknown) => JSON.stringify(content).replaceAll(/call_[0-9a-f]{24}/g, 'id');
      expect(withoutIds(response.content)).toBe(withoutIds(reference.content));
      expect(response.usage).toEqual(reference.usage);
    }
  });

  test('cut after any line, or inside one, is a broken connection', async () => {
    const lines = ollamaLines(ANSWER, MODEL).map((line) => `${JSON.stringify(line)}\n`);
    const whole = lines.join('');
    const ends = lines.slice(0, -1).flatMap((_, index) => {
      const end = lines.slice(0, index + 1).join('').length;
      return [end, end + 9];
    });
    for (const end of ends) {
      const server = await startServer(() => ({ status: 200, parts: [whole.slice(0, end)] }));
      opened.push(server.close);
      expect(failed(await call(connect(server.url), MODEL))).toMatchObject({ kind: 'connection' });
    }
  });

  test.each([
    ['length', 'max_tokens'],
    ['load', 'other'],
  ])('that ends by %s stops as %s', async (done_reason, stopReason) => {
    const server = await serve([{ text: 'half', done_reason }]);
    expect(answered(await call(connect(server.url), MODEL))).toMatchObject({ stopReason, rawStopReason: done_reason });
  });
});

describe('a prompt that does not fit', () => {
  const long: Partial<LlmRequest> = { ...MODEL, system: 'remember '.repeat(4000) };

  test('is refused, never cut', async () => {
    const server = await serve([ANSWER]);
    expect(failed(await call(connect(server.url), long))).toMatchObject({ kind: 'context_overflow', attempts: 1 });
    answered(await call(connect(server.url, 32_768), long));
    expect(server.cut).toEqual([]);
  });

  test('is refused as well by a model whose own window is smaller', async () => {
    const server = await serve([ANSWER], { trained: 2048 });
    expect(failed(await call(connect(server.url, 32_768), long))).toMatchObject({ kind: 'context_overflow' });
    expect(server.cut).toEqual([]);
  });
});

test('a conversation goes back in Ollama’s words', async () => {
  const server = await serve([{ text: 'done' }]);
  const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
  const thought = { type: 'thinking', text: 'hm', provider: 'p', model: 'qwen3:8b' } as const;
  const messages: LlmRequest['messages'] = [
    { role: 'user', content: [{ type: 'text', text: 'look' }, image] },
    { role: 'assistant', content: [thought, { type: 'tool_call', id: 'c1', name: 'read_file', input: { path: 'x' } }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', callId: 'c1', isError: true, content: [{ type: 'text', text: 'no such file' }, image] },
        { type: 'text', text: 'go on' },
      ],
    },
  ];
  answered(await call(connect(server.url), { ...MODEL, messages, temperature: 0.5, stop: ['END'] }));
  expect(server.requests[0]?.json).toMatchObject({
    messages: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'look', images: [image.data] },
      {
        role: 'assistant',
        content: '',
        thinking: 'hm',
        tool_calls: [{ id: 'c1', function: { name: 'read_file', arguments: { path: 'x' } } }],
      },
      {
        role: 'tool',
        tool_name: 'read_file',
        tool_call_id: 'c1',
        content: expect.stringMatching(/^Error: no such file\n/),
      },
      { role: 'user', content: 'go on', images: [image.data] },
    ],
    options: { temperature: 0.5, stop: ['END'] },
  });
});

test('an answer is held to its schema in a closing turn only, and effort is thinking', async () => {
  const server = await serve([{ text: '{}' }], { models: ['qwen3:8b', 'gpt-oss:20b'] });
  const models = { 'p/*': { contextWindow: 8192, structuredOutputs: 'closing', effort: true } } as const;
  const provider = { kind: 'ollama', baseUrl: server.url, apiKey: null } as const;
  const llm = createLlm({ defaultProvider: 'p', providers: { p: provider }, models });
  opened.push(() => llm.stop());
  const outputSchema = { name: 'outcome', schema: { type: 'object', properties: { done: { type: 'boolean' } } } };
  answered(await call(llm, { ...MODEL, outputSchema }));
  answered(await call(llm, { ...MODEL, outputSchema, closing: true, effort: 'high' }));
  answered(await call(llm, { model: 'gpt-oss:20b', effort: 'xhigh' }));
  answered(await call(llm, { ...MODEL, effort: 'none' }));
  const [open, closing, levels, off] = server.requests.map(({ json }) => json);
  expect([open?.['format'], open?.['think']]).toEqual([undefined, undefined]);
  expect(closing).toMatchObject({ format: { type: 'object' }, think: true });
  expect([levels?.['think'], off?.['think']]).toEqual(['high', false]);
});

test('an image for a model that sees none is said in words', async () => {
  const server = await serve([{ text: 'ok' }]);
  const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
  const messages: LlmRequest['messages'] = [{ role: 'user', content: [{ type: 'text', text: 'look' }, image] }];
  answered(await call(connect(server.url, 8192, true, false), { ...MODEL, messages }));
  const body = server.requests[0]?.json as { messages: { content: string; images?: unknown }[] };
  expect(body.messages[1]?.images).toBeUndefined();
  expect(body.messages[1]?.content).toMatch(/^look\n\n.*image/s);
});

describe('a failure', () => {
  test('of the model is told apart from one of the address', async () => {
    const server = await serve([ANSWER]);
    expect(failed(await call(connect(server.url), { model: 'mistral' }))).toMatchObject({
      kind: 'model_not_found',
      attempts: 1,
    });
    expect(failed(await call(connect(`${server.url}/elsewhere`), MODEL))).toMatchObject({
      kind: 'connection',
      attempts: 1,
    });
  });

  test('in mid-stream is an error of the server', async () => {
    const parts = ['{"message":{"content":"a"},"done":false}\n', '{"error":"llama runner process has terminated"}\n'];
    const server = await startServer(() => ({ status: 200, parts }));
    opened.push(server.close);
    const failure = failed(await call(connect(server.url), MODEL));
    expect(failure).toMatchObject({ kind: 'overloaded', message: expect.stringContaining('has terminated') });
  });

  test.each([
    [503, 'server busy, please try again. maximum pending requests exceeded', 'overloaded'],
    [400, 'registry.ollama.ai/library/gemma:2b does not support tools', 'invalid_request'],
    [400, 'request (8889 tokens) exceeds the available context size (4096 tokens)', 'context_overflow'],
  ])('HTTP %d «%s» is %s', async (status, error, kind) => {
    const server = await serve([{ status, error }]);
    expect(failed(await call(connect(server.url), MODEL))).toMatchObject({ kind, httpStatus: status });
  });
});

test('the probe knows the models of the server, with or without a tag', async () => {
  const server = await serve([ANSWER], { models: ['qwen3:8b', 'llama3:latest'] });
  const llm = connect(server.url);
  const listed = async (model: string) => {
    const result = await llm.probe(`p/${model}`, AbortSignal.timeout(10_000));
    return result.ok ? result.listed : result.failure.kind;
  };
  expect([await listed('qwen3:8b'), await listed('llama3'), await listed('nope')]).toEqual([true, true, false]);
});

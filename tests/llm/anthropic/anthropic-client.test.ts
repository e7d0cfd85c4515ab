import { afterEach, expect, test } from 'vitest';
import type { LlmEvent, LlmRequest, LlmResult } from '../../../src/llm/client.ts';
import { createLlm, type Llm } from '../../../src/llm/llm.ts';
import type { HttpProviderSettings } from '../../../src/llm/provider-settings.ts';
import { startAnthropicServer, text, toolUse } from '../../support/model-server/anthropic.ts';
import type { ModelServer } from '../../support/model-server/server.ts';

const opened: { stop?: () => Promise<void>; close?: () => Promise<void> }[] = [];

afterEach(async () => {
  for (const thing of opened.splice(0)) await (thing.stop ?? thing.close)?.();
});

async function serve(...answers: Parameters<typeof startAnthropicServer>): Promise<ModelServer> {
  const server = await startAnthropicServer(...answers);
  opened.push(server);
  return server;
}

function connect(server: ModelServer, settings: Partial<HttpProviderSettings> = {}): Llm {
  const provider = { kind: 'anthropic', baseUrl: server.url, apiKey: 'key-for-tests', ...settings } as const;
  const llm = createLlm({
    defaultProvider: 'anthropic',
    providers: { anthropic: { ...provider, retry: { baseDelayMs: 1, ...settings.retry } } },
  });
  opened.push(llm);
  return llm;
}

function request(over: Partial<LlmRequest> = {}): LlmRequest {
  const messages: LlmRequest['messages'] = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }];
  return { model: 'claude-sonnet-4-5', system: 'be brief', tools: [], messages, maxTokens: 100, ...over };
}

function call(llm: Llm, over: Partial<LlmRequest> = {}, onEvent?: (event: LlmEvent) => void): Promise<LlmResult> {
  const { client } = llm.resolve('claude-sonnet-4-5');
  return client.complete(request(over), { signal: AbortSignal.timeout(20_000), ...(onEvent && { onEvent }) });
}

function answered(result: LlmResult) {
  if (!result.ok) throw new Error(`failed: ${result.failure.kind}: ${result.failure.message}`);
  return result.response;
}

function failed(result: LlmResult) {
  if (result.ok) throw new Error('was answered');
  return result.failure;
}

const TOOL = { name: 'read_file', description: 'reads', inputSchema: { type: 'object', properties: {} } };

test.each([true, false])('text and parallel tool calls arrive the same, streamed: %s', async (stream) => {
  const content = [
    text('Grüße 👋 and more text'),
    toolUse('a', 'read_file', { path: 'x' }),
    toolUse('b', 'read_file', {}),
  ];
  const server = await serve([{ content, usage: { input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 5 } }]);
  const response = answered(await call(connect(server, { stream }), { tools: [TOOL] }));
  expect(response.content).toEqual([
    { type: 'text', text: 'Grüße 👋 and more text' },
    { type: 'tool_call', id: 'a', name: 'read_file', input: { path: 'x' } },
    { type: 'tool_call', id: 'b', name: 'read_file', input: {} },
  ]);
  expect(response).toMatchObject({
    stopReason: 'tool_use',
    rawStopReason: 'tool_use',
    attempts: 1,
    responseId: 'msg_mock',
  });
  expect(response.usage).toEqual({ input: 10, output: 5, cacheRead: 3, cacheWrite: 0, reasoning: 0 });
  expect(response.timeToFirstTokenMs).toBeGreaterThan(0);
});

test('what is passed on while it streams is the answer, piece by piece', async () => {
  const server = await serve([
    { content: [text('one two three four five'), toolUse('a', 'read_file', {})], pieceBytes: 7 },
  ]);
  const events: LlmEvent[] = [];
  answered(await call(connect(server), { tools: [TOOL] }, (event) => events.push(event)));
  const texts = events.filter((event) => event.type === 'text');
  expect(texts.length).toBeGreaterThan(1);
  expect(texts.map((event) => event.text).join('')).toBe('one two three four five');
  expect(events.at(-1)).toEqual({ type: 'tool_call', id: 'a', name: 'read_file' });
});

test.each([429, 500, 503, 529, 408, 409])('a %i is tried again', async (status) => {
  const server = await serve([{ status }, { content: [text('done')] }]);
  expect(answered(await call(connect(server))).attempts).toBe(2);
});

test.each([
  [401, 'authentication_error', 'credentials'],
  [402, 'billing_error', 'quota'],
  [403, 'permission_error', 'credentials'],
  [404, 'not_found_error', 'model_not_found'],
  [400, 'invalid_request_error', 'invalid_request'],
  [413, 'request_too_large', 'context_overflow'],
])('a %i %s is a failure of kind %s and is not tried again', async (status, error, kind) => {
  const server = await serve([{ status, error }]);
  expect(failed(await call(connect(server)))).toMatchObject({
    kind,
    httpStatus: status,
    attempts: 1,
    requestId: 'req_mock',
  });
  expect(server.requests).toHaveLength(1);
});

test.each([501, 505])(
  'a %i is a wrong address, whatever its error type says, and is not tried again',
  async (status) => {
    const server = await serve([{ status, error: 'api_error' }]);
    expect(failed(await call(connect(server)))).toMatchObject({ kind: 'connection', httpStatus: status, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  },
);

test('an abort in mid-stream closes the socket at once and is a value', async () => {
  const server = await serve([{ content: [text('never ends')], stopAfter: 4, finally: 'stall' }]);
  const controller = new AbortController();
  const { client } = connect(server).resolve('claude-sonnet-4-5');
  const pending = client.complete(request(), { signal: controller.signal, onEvent: () => controller.abort() });
  expect(failed(await pending).kind).toBe('aborted');
  expect(await (await server.received(1)).ended).toEqual({ cutByClient: true });
});

test('the key never reaches a message, and the server got it', async () => {
  const server = await serve([{ status: 401, message: 'invalid x-api-key: key-for-tests' }]);
  const failure = failed(await call(connect(server)));
  expect(failure.message).not.toContain('key-for-tests');
  expect(server.requests[0]?.headers['x-api-key']).toBe('key-for-tests');
});

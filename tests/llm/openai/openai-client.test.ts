import { afterEach, describe, expect, test } from 'vitest';
import type { LlmEvent } from '../../../src/llm/client.ts';
import type { Llm } from '../../../src/llm/llm.ts';
import type { HttpProviderSettings } from '../../../src/llm/provider-settings.ts';
import { startOpenAiServer } from '../../support/model-server/openai.ts';
import type { ModelServer } from '../../support/model-server/server.ts';
import { answered, call, failed, llmOf } from '../llm-call.ts';

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of opened.splice(0)) await end();
});

async function serve(...args: Parameters<typeof startOpenAiServer>): Promise<ModelServer> {
  const server = await startOpenAiServer(...args);
  opened.push(server.close);
  return server;
}

function connect(server: ModelServer, settings: Partial<HttpProviderSettings> = {}): Llm {
  const llm = llmOf({ kind: 'openai', baseUrl: `${server.url}/v1`, ...settings });
  opened.push(() => llm.stop());
  return llm;
}

const CALLS = [
  { id: 'a', name: 'read_file', input: { path: 'ä.txt' } },
  { id: 'b', name: 'read_file', input: {} },
];

test.each([true, false])('text, reasoning and parallel calls arrive the same, streamed: %s', async (stream) => {
  const usage = { prompt_tokens_details: { cached_tokens: 40 }, completion_tokens_details: { reasoning_tokens: 4 } };
  const server = await serve([{ text: 'Grüße 👋', reasoning_content: 'let me see', calls: CALLS, usage }]);
  const response = answered(await call(connect(server, { stream })));
  expect(response.content).toEqual([
    {
      type: 'thinking',
      text: 'let me see',
      fields: { reasoning_content: 'let me see' },
      provider: 'p',
      model: 'some-model',
    },
    { type: 'text', text: 'Grüße 👋' },
    { type: 'tool_call', id: 'a', name: 'read_file', input: { path: 'ä.txt' } },
    { type: 'tool_call', id: 'b', name: 'read_file', input: {} },
  ]);
  expect(response).toMatchObject({ stopReason: 'tool_use', rawStopReason: 'tool_calls', responseId: 'chatcmpl_mock' });
  expect(response.usage).toEqual({ input: 100, output: 10, cacheRead: 40, cacheWrite: 0, reasoning: 4 });
});

test('usage that never comes is estimated, not zero', async () => {
  const server = await serve([{ text: 'hi', usage: null }]);
  const { usage } = answered(await call(connect(server)));
  expect(usage).toMatchObject({ input: expect.any(Number), output: 1, cacheRead: 0, estimated: true });
  expect(usage!.input).toBeGreaterThan(10);
});

test('events report reasoning, text and calls as they arrive', async () => {
  const server = await serve([{ text: 'some words that are cut', reasoning_content: 'hm', calls: CALLS }]);
  const events: LlmEvent[] = [];
  answered(await call(connect(server), {}, (event) => events.push(event)));
  const kinds = events.map((event) => event.type);
  expect([...new Set(kinds)]).toEqual(['thinking', 'text', 'tool_call']);
  expect(events.filter((event) => event.type === 'tool_call')).toHaveLength(2);
});

describe('requests', () => {
  test('a reasoning model gets max_completion_tokens and neither temperature nor stop', async () => {
    const server = await serve([{ text: 'hi' }]);
    const over = { model: 'gpt-5', temperature: 0.3, stop: ['END'], effort: 'low' } as const;
    answered(await call(connect(server), over));
    const { body } = server.requests[0] ?? {};
    expect(JSON.parse(String(body))).toMatchObject({ max_completion_tokens: 100, reasoning_effort: 'low' });
  });

  test('parallel_tool_calls is sent to other models, not to the o-series', async () => {
    const server = await serve([{ text: 'hi' }]);
    const llm = connect(server);
    answered(await call(llm, { model: 'o3' }));
    answered(await call(llm, { model: 'gpt-4o' }));
    expect(server.requests.map(({ json }) => json?.['parallel_tool_calls'])).toEqual([undefined, true]);
  });

  test('the cache key goes to OpenAI only', async () => {
    const server = await serve([{ text: 'hi' }]);
    answered(await call(connect(server), { conversationId: 'focus-1' }));
    expect(server.requests[0]?.json).not.toHaveProperty('prompt_cache_key');
  });
});

describe('errors', () => {
  test.each([
    [429, { code: 'insufficient_quota', message: 'You exceeded your current quota' }, 'quota', 1],
    [429, { code: 'rate_limit_exceeded', message: 'Rate limit reached' }, 'rate_limit', 4],
    [401, { code: 'invalid_api_key' }, 'credentials', 1],
    [404, { code: 'model_not_found', message: 'The model `x` does not exist' }, 'model_not_found', 1],
    [404, { body: '<html>not here</html>' }, 'connection', 1],
    [400, { code: 'context_length_exceeded' }, 'context_overflow', 1],
    [400, { code: 'content_filter', message: 'The response was filtered' }, 'content_filter', 1],
    [400, { message: 'bad schema' }, 'invalid_request', 1],
    [402, { body: '{"error":{"message":"Insufficient Balance"}}' }, 'quota', 1],
    [422, { body: '{"detail":[{"loc":["body","x"],"msg":"Extra inputs are not permitted"}]}' }, 'invalid_request', 1],
    [500, { message: 'The server had an error' }, 'overloaded', 4],
    [503, { body: '[{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}]' }, 'overloaded', 4],
    // It may have cost something.
    [502, { body: 'Bad Gateway' }, 'overloaded', 3],
    [413, { body: '' }, 'context_overflow', 1],
  ] as const)('%i %j is %s after %i attempt(s)', async (status, rest, kind, attempts) => {
    const server = await serve([{ status, ...rest }]);
    expect(failed(await call(connect(server)))).toMatchObject({ kind, attempts, httpStatus: status });
    expect(server.requests).toHaveLength(attempts);
  });

  test('a key that the provider quotes back is masked', async () => {
    const server = await serve([
      { status: 401, message: 'Incorrect API key provided: sk-abcd****************wxyz. key-for-tests' },
    ]);
    const { message } = failed(await call(connect(server)));
    expect(message).not.toMatch(/wxyz|key-for-tests/);
  });
});

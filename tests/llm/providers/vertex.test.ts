import { afterEach, describe, expect, test } from 'vitest';
import type { ContentBlock, LlmRequest } from '../../../src/llm/client.ts';
import { startAnthropicServer, text } from '../../support/model-server/anthropic.ts';
import { vertexGate } from '../../support/model-server/clouds.ts';
import { startOpenAiServer } from '../../support/model-server/openai.ts';
import { startServer } from '../../support/model-server/server.ts';
import { answered, call, failed, llmOf, requestOf } from '../llm-call.ts';

const PLACE = { project: 'my-project', location: 'europe-west1' };
const BASE = '/v1/projects/my-project/locations/europe-west1';
const GATE = vertexGate(() => 'ya29.token', PLACE);
const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of opened.splice(0).toReversed()) await end();
});

function connect(baseUrl: string, settings = {}) {
  const llm = llmOf({ kind: 'vertex', baseUrl, apiKey: 'ya29.token', cloud: PLACE, ...settings });
  opened.push(() => llm.stop());
  return llm;
}

test.each([
  [true, 'claude-sonnet-4-5@20250929', 'streamRawPredict'],
  [false, 'claude-opus-4-6', 'rawPredict'],
])('Claude speaks Anthropic’s Messages (streamed: %s)', async (stream, model, verb) => {
  const server = await startAnthropicServer([{ content: [text('hi')] }], GATE);
  opened.push(server.close);
  const response = answered(await call(connect(server.url, { stream }), { model }));
  expect(response.content).toEqual([{ type: 'text', text: 'hi' }]);
  expect(server.requests[0]?.path).toBe(`${BASE}/publishers/anthropic/models/${model}:${verb}`);
});

test.each([
  ['gemini-3.5-flash', 'google/gemini-3.5-flash'],
  ['google/gemini-2.5-pro', 'google/gemini-2.5-pro'],
  ['deepseek-ai/deepseek-v4-maas', 'deepseek-ai/deepseek-v4-maas'],
])('%s speaks Chat Completions as %s', async (model, asked) => {
  const server = await startOpenAiServer([{ text: 'hi' }], {}, GATE);
  opened.push(server.close);
  expect(answered(await call(connect(server.url), { model }, undefined, 'p')).content).toEqual([
    { type: 'text', text: 'hi' },
  ]);
  expect(server.requests[0]).toMatchObject({
    path: `${BASE}/endpoints/openapi/chat/completions`,
    json: { model: asked },
  });
});

describe('the signature of Gemini’s thoughts', () => {
  const delta = (value: unknown, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: value, finish_reason: finish }] })}\n\n`;
  const signed = { extra_content: { google: { thought_signature: 'c2lnbmF0dXJl' } } };
  const fn = { type: 'function', function: { name: 'read_file', arguments: '{}' } };
  const stream = [
    delta({ role: 'assistant', tool_calls: [{ index: 0, id: 'c1', ...fn, ...signed }] }),
    delta({ tool_calls: [{ index: 1, id: 'c2', ...fn }] }),
    delta({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ];

  async function second(content: ContentBlock[], model: string) {
    const server = await startServer(() => ({ status: 200, parts: stream }));
    opened.push(server.close);
    const llm = connect(server.url);
    const given = content.length > 0 ? content : answered(await call(llm, { model }, undefined, 'p')).content;
    const results = ['c1', 'c2'].map(
      (callId) => ({ type: 'tool_result', callId, content: [], isError: false }) as const,
    );
    const [begin] = requestOf().messages;
    const messages: LlmRequest['messages'] = [
      begin!,
      { role: 'assistant', content: given },
      { role: 'user', content: results },
    ];
    answered(await call(llm, { model, messages }, undefined, 'p'));
    const body = server.requests.at(-1)?.json as { messages: { tool_calls?: Record<string, unknown>[] }[] };
    return body.messages.find((each) => each.tool_calls)?.tool_calls;
  }
  const foreign: ContentBlock[] = ['c1', 'c2'].map((id) => ({ type: 'tool_call', id, name: 'read_file', input: {} }));

  test('goes back with its call', async () => {
    const calls = await second([], 'gemini-3.5-flash');
    expect(calls).toEqual([
      { id: 'c1', ...fn, ...signed },
      { id: 'c2', ...fn },
    ]);
  });

  test('is replaced by Google’s placeholder for calls of another model, where Gemini wants one', async () => {
    const [first, ...rest] = (await second(foreign, 'google/gemini-3.5-flash')) ?? [];
    expect(first).toMatchObject({
      extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
    });
    expect(rest).toEqual([{ id: 'c2', ...fn }]);
    expect(await second(foreign, 'google/gemini-2.5-pro')).toEqual([
      { id: 'c1', ...fn },
      { id: 'c2', ...fn },
    ]);
  });

  test('goes to no other model', async () => {
    const own = answered(await call(connect((await started()).url), { model: 'gemini-3.5-flash' })).content;
    expect(await second([...own], 'meta/llama-5-maas')).toEqual([
      { id: 'c1', ...fn },
      { id: 'c2', ...fn },
    ]);
  });

  async function started() {
    const server = await startServer(() => ({ status: 200, parts: stream }));
    opened.push(server.close);
    return server;
  }
});

test('a wrong token fails as credentials', async () => {
  const server = await startOpenAiServer([{ text: 'hi' }], {}, GATE);
  opened.push(server.close);
  const failure = failed(await call(connect(server.url, { apiKey: 'stale-token' }), { model: 'gemini-3.5-flash' }));
  expect(failure).toMatchObject({ kind: 'credentials', httpStatus: 401, attempts: 1 });
});

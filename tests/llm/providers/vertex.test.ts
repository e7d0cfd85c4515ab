import { afterEach, expect, test } from 'vitest';
import { startAnthropicServer, text } from '../../support/model-server/anthropic.ts';
import { vertexGate } from '../../support/model-server/clouds.ts';
import { startOpenAiServer } from '../../support/model-server/openai.ts';
import { answered, call, failed, llmOf } from '../llm-call.ts';

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
  expect(answered(await call(connect(server.url), { model })).content).toEqual([{ type: 'text', text: 'hi' }]);
  expect(server.requests[0]).toMatchObject({
    path: `${BASE}/endpoints/openapi/chat/completions`,
    json: { model: asked },
  });
});

test('a wrong token fails as credentials', async () => {
  const server = await startOpenAiServer([{ text: 'hi' }], {}, GATE);
  opened.push(server.close);
  const failure = failed(await call(connect(server.url, { apiKey: 'stale-token' }), { model: 'gemini-3.5-flash' }));
  expect(failure).toMatchObject({ kind: 'credentials', httpStatus: 401, attempts: 1 });
});

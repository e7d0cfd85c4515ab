import { afterEach, expect, test } from 'vitest';
import type { HttpProviderSettings } from '../../../src/llm/provider-settings.ts';
import { azureGate } from '../../support/model-server/clouds.ts';
import { startOpenAiServer } from '../../support/model-server/openai.ts';
import { startServer } from '../../support/model-server/server.ts';
import { answered, call, failed, llmOf } from '../llm-call.ts';

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of opened.splice(0).toReversed()) await end();
});

async function serve(...[login, version]: Parameters<typeof azureGate>) {
  const server = await startOpenAiServer([{ text: 'hi' }], {}, azureGate(login, version));
  opened.push(server.close);
  return server;
}

function connect(baseUrl: string, settings: Partial<HttpProviderSettings> = {}) {
  const llm = llmOf({ kind: 'azure', baseUrl, apiKey: 'azure-key', ...settings });
  opened.push(() => llm.stop());
  return llm;
}

const REQUEST = { model: 'prod-gpt', conversationId: 'c1' };

test.each(['', '/', '/openai', '/openai/v1/'])('the v1 API is spoken at the resource’s address (%j)', async (path) => {
  const server = await serve({ key: 'azure-key' }, null);
  expect(answered(await call(connect(`${server.url}${path}`), REQUEST)).content).toEqual([
    { type: 'text', text: 'hi' },
  ]);
  expect(server.requests[0]).toMatchObject({
    path: '/openai/v1/chat/completions',
    json: { model: 'prod-gpt', prompt_cache_key: 'c1' },
  });
});

test.each(['', '/openai'])('with an API version, a deployment has its own path (%j)', async (path) => {
  const server = await serve({ key: 'azure-key' }, '2024-10-21');
  const llm = connect(`${server.url}${path}`, { cloud: { apiVersion: '2024-10-21' } });
  answered(await call(llm, REQUEST));
  expect(server.requests[0]?.path).toBe('/openai/deployments/prod-gpt/chat/completions?api-version=2024-10-21');
  // Older versions refuse fields that came later.
  expect(server.requests[0]?.json).not.toHaveProperty('prompt_cache_key');
});

test.each([
  [null, '/openai/v1/responses'],
  ['2025-04-01-preview', '/openai/responses?api-version=2025-04-01-preview'],
])('Responses have one path for all deployments (API version %j)', async (apiVersion, path) => {
  const server = await startServer(() => ({ status: 400, parts: ['{"error":{"message":"seen"}}'] }));
  opened.push(server.close);
  const llm = connect(server.url, { wire: 'responses', cloud: { apiVersion } });
  expect(failed(await call(llm, REQUEST)).message).toContain('seen');
  expect(server.requests[0]).toMatchObject({
    path,
    json: { model: 'prod-gpt', store: false },
    headers: { 'api-key': 'azure-key' },
  });
});

test('a token goes into the header authorization, and a wrong login is told apart from a missing deployment', async () => {
  const server = await serve({ token: 'entra-token' }, '2024-10-21');
  const settings = { cloud: { apiVersion: '2024-10-21' }, keyHeader: 'authorization' };
  answered(await call(connect(server.url, { ...settings, apiKey: 'entra-token' }), REQUEST));
  const refused = failed(await call(connect(server.url, { ...settings, apiKey: 'old-token' }), REQUEST));
  expect(refused).toMatchObject({ kind: 'credentials', httpStatus: 401 });
  const missing = await call(connect(server.url, { ...settings, apiKey: 'entra-token' }), { model: 'missing' });
  expect(failed(missing)).toMatchObject({ kind: 'model_not_found', httpStatus: 404 });
});

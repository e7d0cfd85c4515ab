import { describe, expect, onTestFinished, test } from 'vitest';
import type { HttpProviderSettings } from '../../../src/llm/provider-settings.ts';
import { azureGate } from '../../support/model-server/clouds.ts';
import { startOllamaServer } from '../../support/model-server/ollama.ts';
import { startOpenAiServer } from '../../support/model-server/openai.ts';
import { connect } from '../served-llm.ts';

const signal = AbortSignal.timeout(60_000);
const VECTORS = [
  [1, 1],
  [2, 1],
];

describe('Azure', () => {
  async function ask(version: string | null, settings: Partial<HttpProviderSettings>, model = 'my-embeddings') {
    const server = await startOpenAiServer([{}], {}, azureGate({ key: 'azure-key' }, version));
    onTestFinished(server.close);
    const cloud = { apiVersion: version };
    const llm = connect(server.url, { kind: 'azure', apiKey: 'azure-key', cloud, ...settings });
    return {
      server,
      result: await llm.embedder({ provider: 'p', model, dimensions: 2 }).embed(['a', 'bb'], signal),
    };
  }

  test.each([
    [null, '/openai/v1/embeddings'],
    ['2024-10-21', '/openai/deployments/my-embeddings/embeddings?api-version=2024-10-21'],
  ])('has the paths of its deployments (API version %j)', async (version, path) => {
    const { result, server } = await ask(version, {});
    expect(result).toMatchObject({ ok: true, vectors: VECTORS });
    expect(server.requests[0]?.path).toBe(path);
  });

  test('refuses a wrong key, and a missing deployment is a wrong name of the model', async () => {
    const refused = await ask(null, { apiKey: 'other' });
    expect(refused.result).toMatchObject({ ok: false, failure: { kind: 'credentials' } });
    const missing = await ask('2024-10-21', {}, 'missing');
    expect(missing.result).toMatchObject({ ok: false, failure: { kind: 'model_not_found' } });
  });
});

describe('Ollama', () => {
  async function ask(model: string, settings: Partial<HttpProviderSettings> = {}, dimensions = 2) {
    const server = await startOllamaServer([{ text: 'hi' }], { models: ['nomic-embed-text'], maxTokens: 100 });
    onTestFinished(server.close);
    const llm = connect(server.url, { kind: 'ollama', apiKey: null, ...settings });
    return { server, embedder: llm.embedder({ provider: 'p', model, dimensions }) };
  }

  test.each(['', '/v1', '/api/'])('is asked by its own API, at any of its addresses (%j)', async (path) => {
    const { server, embedder } = await ask('nomic-embed-text');
    const llm = connect(`${server.url}${path}`, { kind: 'ollama', apiKey: null });
    const at = llm.embedder({ provider: 'p', model: 'nomic-embed-text', dimensions: 2 });
    expect(await at.embed(['a', 'bb'], signal)).toMatchObject({ ok: true, vectors: VECTORS });
    expect(server.requests[0]).toMatchObject({ path: '/api/embed', json: { input: ['a', 'bb'], truncate: true } });
    // It cuts long texts itself.
    expect(await embedder.embed(['x'.repeat(4000)], signal)).toMatchObject({ ok: true, vectors: [[400, 1]] });
  });

  test('says which model is missing', async () => {
    const { embedder } = await ask('mxbai');
    expect(await embedder.embed(['a'], signal)).toMatchObject({ ok: false, failure: { kind: 'model_not_found' } });
  });
});

test('a key may be in another header, and a model may have headers and fields of its own', async () => {
  const server = await startOpenAiServer([{}]);
  onTestFinished(server.close);
  const { createLlm } = await import('../../../src/llm/llm.ts');
  const llm = createLlm({
    defaultProvider: 'p',
    providers: {
      p: {
        kind: 'openai',
        baseUrl: `${server.url}/v1`,
        apiKey: 'the-key',
        keyHeader: 'x-key',
        headers: { authorization: 'Bearer of-the-gateway' },
        options: { store: false },
      },
    },
    models: { 'p/e': { headers: { 'x-team': 'search' }, options: { user: 'animus' } } },
  });
  onTestFinished(() => llm.stop());
  const result = await llm.embedder({ provider: 'p', model: 'e', dimensions: 2 }).embed(['a'], signal);
  expect(result.ok).toBe(true);
  expect(server.requests[0]).toMatchObject({
    headers: { 'x-key': 'the-key', authorization: 'Bearer of-the-gateway', 'x-team': 'search' },
    // Fields of the provider are for its chat models.
    json: { model: 'e', input: ['a'], user: 'animus' },
  });
  expect(server.requests[0]?.json).not.toHaveProperty('store');
});

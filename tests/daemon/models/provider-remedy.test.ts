import { expect, test } from 'vitest';
import { explainFailure } from '../../../src/daemon/models/provider-remedy.ts';
import type { LlmFailure } from '../../../src/llm/client.ts';

const http = { name: 'gw', kind: 'openai', apiKey: null, apiKeyEnv: 'GW_KEY', awsKeys: null, credentials: null };
const told = (kind: LlmFailure['kind'], provider: object | null) => {
  const providers = new Map(provider === null ? [] : [['gw', provider]]) as never;
  return explainFailure({ kind, provider: 'gw', message: 'it failed' } as LlmFailure, { providers });
};

test('a failure is told with the remedy, and with a restart where a key is read once', () => {
  expect(told('credentials', http)).toBe('provider gw: it failed; set GW_KEY, or GW_KEY_FILE, and restart animus');
  expect(told('credentials', { ...http, credentials: { command: ['login'] } })).toBe(
    'provider gw: it failed; run its command yourself: login',
  );
  expect(told('overloaded', http)).toBe('provider gw: it failed; the provider is busy: try again later');
  expect(told('content_filter', http)).toBe('provider gw: it failed');
  expect(told('credentials', null)).toBe('provider gw: it failed');
});

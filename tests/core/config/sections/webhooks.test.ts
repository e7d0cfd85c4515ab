import { expect, test } from 'vitest';
import { readConfig } from '../../../../src/core/config/read-config.ts';

function read(text: string, env: Record<string, string> = {}) {
  const readSecretFile = () => ({ ok: false as const, detail: 'unused' });
  return readConfig({ env, toml: { path: '/etc/animus.toml', text }, userHome: '/home/x', cwd: '/', readSecretFile })
    .webhooks;
}

test('the keys come from the environment, under names that the table may change', () => {
  expect(read('')).toMatchObject({ key: null, oldKey: null, keyEnv: 'ANIMUS_WEBHOOK_KEY', allow: [] });
  const webhooks = read('[webhooks]\nold_key_env = "BEFORE"', {
    ANIMUS_WEBHOOK_KEY: 'k'.repeat(64),
    BEFORE: 'o'.repeat(64),
  });
  expect([webhooks.key?.reveal(), webhooks.oldKey?.reveal()]).toEqual(['k'.repeat(64), 'o'.repeat(64)]);
});

test('a key that is too short is refused', () => {
  expect(() => read('', { ANIMUS_WEBHOOK_KEY: 'short' })).toThrow(
    'ANIMUS_WEBHOOK_KEY is too short for a key; it needs ',
  );
  expect(() => read('[webhooks]\nold_key_env = "BEFORE"', { BEFORE: 'short' })).toThrow(
    'BEFORE is too short for a key',
  );
});

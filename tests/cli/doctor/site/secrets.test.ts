/** The doctor compares the secrets that services have with those that the configuration needs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../../src/catalog/config/load-config.ts';
import { examineSecrets } from '../../../../src/cli/doctor/site/secrets.ts';
import { secretVariables } from '../../../../src/core/config/secret-variables.ts';
import { loadSections } from '../../../../src/features/features.ts';
import { testDatabase } from '../../../support/database.ts';
import { run } from '../../run-cli.ts';

const target = testDatabase();
const SECTIONS = await loadSections();

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'doctor-secrets-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
});

test.each([
  [
    'both have what they need',
    '',
    { animus: ['database_url', 'animus_webhook_key'], api: ['database_url', 'animus_webhook_key'] },
    [],
  ],
  ['nobody has a key of webhooks, so there are none', '', { animus: ['database_url'], api: ['database_url'] }, []],
  [
    'the service api lacks the key',
    '',
    { animus: ['database_url', 'animus_webhook_key', 'anthropic_api_key'], api: ['database_url'] },
    [
      'the service api lacks ANIMUS_WEBHOOK_KEY, which it needs for adding and signing webhooks; the service animus has it',
    ],
  ],
  [
    'a key of another name, which the configuration gives it',
    '[webhooks]\nkey_env = "HOOK_KEY"\n',
    { animus: ['database_url', 'hook_key'], api: ['database_url', 'animus_webhook_key'] },
    ['the service api lacks HOOK_KEY, which it needs for adding and signing webhooks; the service animus has it'],
  ],
  [
    'the daemon lacks its database',
    '',
    { animus: [], api: ['database_url'] },
    ['the service animus lacks DATABASE_URL, which it needs for the database; the service api has it'],
  ],
])('%s', (_what, toml, given, problems) => {
  const config = configured(toml);
  writeFileSync(join(cwd, '.given.json'), JSON.stringify(given));
  const found = examineSecrets(config, { ANIMUS_SECRETS: cwd });
  expect(found.filter(({ state }) => state === 'problem').map(({ detail }) => detail)).toEqual(problems);
  if (problems.length === 0) expect(found).toMatchObject([{ state: 'ok', detail: expect.stringContaining('api has') }]);
});

test('outside of the appliance there is nothing to compare, and a file that cannot be read is a problem', () => {
  expect(examineSecrets(configured(''), { ANIMUS_SECRETS: cwd })).toEqual([]);
  writeFileSync(join(cwd, '.given.json'), '{');
  expect(examineSecrets(configured(''), { ANIMUS_SECRETS: cwd })).toMatchObject([{ state: 'problem' }]);
});

test('the list has every secret of a configuration once, and says who needs it', () => {
  const config = configured(
    '[http]\ndatabase_url_env = "GATE_URL"\n[webhooks]\nkey_env = "HOOK_KEY"\n[web.search]\nkind = "brave"\napi_key_env = "FINDER"\n' +
      '[providers.gw]\nkind = "openai"\nbase_url = "http://gw/v1"\napi_key_env = "GW_KEY"\nheader_env = { x-token = "GW_TOKEN" }\nproxy_env = "GW_PROXY"\n',
  );
  const users = Object.fromEntries(secretVariables(config).map(({ name, users: of }) => [name, of.join(' ')]));
  expect(users).toEqual({
    DATABASE_URL: 'daemon api',
    PGPASSWORD: 'daemon api',
    GATE_URL: 'daemon',
    ANTHROPIC_API_KEY: 'daemon',
    OPENAI_API_KEY: 'daemon',
    GW_KEY: 'daemon',
    GW_TOKEN: 'daemon',
    GW_PROXY: 'daemon',
    FINDER: 'daemon',
    HOOK_KEY: 'daemon api',
    ANIMUS_WEBHOOK_OLD_KEY: 'daemon api',
  });
});

test('the doctor says which webhooks nobody can sign', async () => {
  const [key, other] = ['k'.repeat(32), 'o'.repeat(32)];
  const env = { DATABASE_URL: target.connectionString, ANIMUS_HOME: join(cwd, 'home') };
  const webhooks = async (keys: Record<string, string>) => {
    const { stdout } = await run(['doctor', '--json'], { cwd, env: { ...env, ...keys } });
    const { findings } = JSON.parse(stdout) as { findings: { check: string; state: string; detail: string }[] };
    return findings.filter(({ check }) => check === 'webhooks').map(({ state, detail }) => `${state}: ${detail}`);
  };
  expect(await webhooks({})).toEqual([]);
  for (const one of [key, other]) {
    const added = await run(['webhook', 'add', 'https://example.com/'], { env: { ...env, ANIMUS_WEBHOOK_KEY: one } });
    expect(added.code).toBe(0);
  }
  expect(await webhooks({})).toEqual(['problem: ANIMUS_WEBHOOK_KEY is not set, so nothing is sent for 2 webhooks']);
  expect(await webhooks({ ANIMUS_WEBHOOK_KEY: key })).toEqual([
    'problem: 1 webhook of 2 was added with a different key than the one in ANIMUS_WEBHOOK_KEY',
  ]);
  expect(await webhooks({ ANIMUS_WEBHOOK_KEY: key, ANIMUS_WEBHOOK_OLD_KEY: other })).toEqual([
    'ok: 2 webhooks; ANIMUS_WEBHOOK_KEY is set and matches',
  ]);
});

function configured(toml: string) {
  mkdirSync(join(cwd, 'site'), { recursive: true });
  writeFileSync(join(cwd, 'site', 'animus.toml'), toml);
  return loadConfig({ env: { HOME: cwd, DATABASE_URL: 'postgres://a@b/c' }, cwd: join(cwd, 'site') }, SECTIONS);
}

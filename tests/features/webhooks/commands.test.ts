import { beforeEach, expect, test } from 'vitest';
import { run } from '../../cli/run-cli.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
const KEY = 'k'.repeat(64);
const animus = (argv: readonly string[], env: Record<string, string> = {}) =>
  run(argv, { env: { DATABASE_URL: target.connectionString, ANIMUS_WEBHOOK_KEY: KEY, ...env } });
const json = async (...argv: string[]) => JSON.parse((await animus([...argv, '--json'])).stdout);

beforeEach(async () => {
  await target.database.query('delete from animus.webhook_deliveries');
  await target.database.query('delete from animus.webhooks');
});

test('the secret is printed once, alone on standard output; the database has neither it nor the key', async () => {
  const added = await animus(['webhook', 'add', 'https://example.com/hook', '--faculty', 'f', '--label', 'pager']);
  expect(added.code).toBe(0);
  expect(added.stderr).toContain('no faculty is named f; nothing is sent of it until one is');
  expect(added.stdout).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
  const tables = await target.database.query<{ text: string }>(
    `select query_to_xml('select * from animus.' || relname, true, false, '')::text as text from pg_class
      where relnamespace = 'animus'::regnamespace and relkind = 'r' and relname like 'webhook%'`,
  );
  const text = tables.map(({ text: rows }) => rows).join('');
  expect(text).toContain('https://example.com/hook');
  for (const secret of [KEY, added.stdout.trim(), added.stdout.trim().slice(6)]) expect(text).not.toContain(secret);
  expect(await json('webhook', 'list')).toMatchObject({
    webhooks: [{ url: 'https://example.com/hook', faculties: ['f'], label: 'pager', pending: 0, dead: 0 }],
  });
});

test.each([
  [{ ANIMUS_WEBHOOK_KEY: '' }, /key of webhooks is not set/],
  [{ ANIMUS_WEBHOOK_KEY: 'short' }, /ANIMUS_WEBHOOK_KEY is too short for a key/],
])('no webhook without a good key: %j', async (env, message) => {
  const ran = await animus(['webhook', 'add', 'https://example.com/'], env);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(message);
});

test('dead letters are listed, counted by status and sent again; a removed webhook takes them with it', async () => {
  const { id } = await json('webhook', 'add', 'https://example.com/');
  await target.database.query(`select animus.test_webhook($1)`, [id]);
  await target.database.query(
    `update animus.webhook_deliveries set state = 'dead', ended_at = now(), attempts = 12, last_error = 'the receiver answered 500'`,
  );
  const { deliveries } = await json('webhook', 'list', '--dead');
  expect(deliveries).toMatchObject([{ event: 'webhook.test', attempts: 12, last_error: 'the receiver answered 500' }]);
  expect((await animus(['status'])).stdout).toContain('1 webhook delivery failed for good: animus webhook list --dead');
  expect((await animus(['webhook', 'list'])).stdout).toContain('the receiver answered 500');
  const retried = await animus(['webhook', 'retry', id.slice(0, 8), '--delivery', deliveries[0].id]);
  expect(retried.stdout).toContain('1 delivery of webhook');
  expect(await json('webhook', 'list', '--dead')).toEqual({ deliveries: [] });
  expect((await animus(['webhook', 'remove', id])).code).toBe(0);
  expect(await target.database.query('select from animus.webhook_deliveries')).toEqual([]);
});

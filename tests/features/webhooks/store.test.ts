import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { endDelivery, pruneDeliveries } from '../../../src/features/webhooks/deliveries.ts';
import { changeWebhook, listWebhooks, removeWebhook, webhookEvent } from '../../../src/features/webhooks/store.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { run } from '../../cli/run-cli.ts';
import { testDatabase } from '../../support/database.ts';
import { ARRIVED, addHook, claimHooks, deliveryRows, removeHooks, submitItem } from './fixtures.ts';

const target = testDatabase();
const claim = () => claimHooks(target.database);
const add = (given: Parameters<typeof addHook>[1] = {}) => addHook(target.database, given);
const submit = (faculty?: string) => submitItem(target.database, faculty);
const deliveries = () => deliveryRows(target.database);

beforeEach(() => removeHooks(target.database));

test('the events are those of the database', async () => {
  expect(await target.database.query('select animus.webhook_events() as events')).toEqual([
    { events: webhookEvent.words },
  ]);
});

test('a row is written with the change, or not at all', async () => {
  await submit();
  expect(await deliveries()).toEqual([]);
  await add({ events: ['work.queued'] });
  await target.database
    .transaction(async (tx) => {
      await tx.query(`insert into animus.work_items (faculty, description) values ('f', 'undone')`);
      throw new Error('undone');
    })
    .catch(() => {});
  expect(await deliveries()).toEqual([]);
  const id = await submit();
  expect(await deliveries()).toMatchObject([{ work_item_id: id, event: 'work.queued' }]);
});

test('before the first webhook is added, no change of work looks at the tables', async () => {
  const sequence = `'animus.webhooks_number_seq'`;
  await target.database.query(`select setval(${sequence}, 1, false)`);
  onTestFinished(async () => void (await target.database.query(`select setval(${sequence}, 1, true)`)));
  // The counts of one connection: others write theirs later.
  const db = openPostgres(target.connectionString, { poolSize: 1 });
  onTestFinished(() => db.close());
  const looks = async () => {
    await db.query('select pg_stat_force_next_flush()');
    const [row] = await db.query<{ looks: number; blocks: number }>(
      `select sum(pg_stat_get_numscans(oid))::int as looks, sum(pg_stat_get_blocks_fetched(oid))::int as blocks
         from pg_class where relname like 'webhook%' and relnamespace = 'animus'::regnamespace and relkind in ('r', 'i')`,
    );
    return row!;
  };
  const before = await looks();
  await db.query(
    `insert into animus.work_items (faculty, description) select 'f', n::text from generate_series(1, 100) n`,
  );
  await db.query(`select animus.cancel_work(id, '') from animus.work_items where state = 'queued' limit 10`);
  expect(await looks()).toEqual(before);
  await add();
  await submit();
  expect(await deliveries()).toHaveLength(1);
});

test('a change keeps what it does not name, and the next events follow it', async () => {
  const hook = await add({ events: ['work.queued'], faculties: ['wanted'] });
  const [before] = await listWebhooks(target.database, hook);
  await submit('wanted');
  await changeWebhook(target.database, hook, { url: 'https://example.com/new', faculties: [] });
  const [after] = await listWebhooks(target.database, hook);
  expect(after).toEqual({ ...before, url: 'https://example.com/new', faculties: null, pending: 1 });
  const other = await submit('other');
  await changeWebhook(target.database, hook, { events: ['work.dead'], label: 'pager' });
  await submit('other');
  expect(await deliveries()).toMatchObject([{}, { work_item_id: other }]);
  // What waits goes to the new address, at once.
  expect(await claim()).toMatchObject([{ url: 'https://example.com/new' }, { url: 'https://example.com/new' }]);
});

test.each([
  [{}, 'nothing is to be changed'],
  [{ url: 'https://user:pass@example.com/' }, 'without user and password'],
  [{ url: 'file:///etc/passwd' }, 'https://'],
  [{ faculties: ['NO'] }, 'a list of 1 to 100 names'],
  [{ label: 'x'.repeat(201) }, 'at most 200 characters'],
] as const)('a change to %o is refused, and nothing is changed', async (change, why) => {
  const hook = await add({ events: ['work.queued'] });
  const before = await listWebhooks(target.database, hook);
  await expect(changeWebhook(target.database, hook, change)).rejects.toThrow(why);
  expect(await listWebhooks(target.database, hook)).toEqual(before);
});

test('by event and faculty', async () => {
  await add({ events: ['work.queued'], faculties: ['wanted'] });
  await add({ events: ['work.completed'] });
  await submit();
  const id = await submit('wanted');
  expect(await deliveries()).toMatchObject([{ work_item_id: id }]);
});

test('its owner gets only what it may see, also when its rights change before the delivery', async () => {
  await target.database.query(`select animus.set_person('eve'), animus.set_person('rita', 'reader')`);
  await add({ person: 'eve' });
  const rita = await add({ person: 'rita' });
  const other = await submit();
  expect(await deliveries()).toMatchObject([{ work_item_id: other, webhook_id: rita }]);
  const own = await target.database.transaction(async (tx) => {
    await tx.query(`select animus.act_as('eve')`);
    const [row] = await tx.query<{ id: string }>(
      `insert into animus.own_work (faculty, description) values ('f', 'd') returning id`,
    );
    return row!.id;
  });
  expect((await deliveries()).filter(({ work_item_id }) => work_item_id === own)).toHaveLength(2);
  await target.database.query(`select animus.set_person('rita', 'submitter')`);
  await target.database.query(`select animus.set_person('eve', null, true)`);
  expect(await claim()).toEqual([]);
  expect(await deliveries()).toEqual([]);
});

test('a person sees and removes its own webhooks only', async () => {
  const hook = await add({});
  const asEve = <T>(work: (tx: Parameters<typeof listWebhooks>[0]) => Promise<T>) =>
    target.database.transaction(async (tx) => {
      await tx.query(`select animus.act_as('eve')`);
      return work(tx);
    });
  expect(await asEve((tx) => listWebhooks(tx))).toEqual([]);
  await expect(asEve((tx) => removeWebhook(tx, hook))).rejects.toMatchObject({ code: 'work.not_found' });
  await expect(asEve((tx) => addHook(tx, { person: 'rita' }))).rejects.toMatchObject({ code: 'db.forbidden' });
  const own = await asEve((tx) => addHook(tx, {}));
  expect(await asEve((tx) => listWebhooks(tx))).toMatchObject([{ id: own, owner: 'person:eve' }]);
  await asEve((tx) => removeWebhook(tx, own));
  expect(await listWebhooks(target.database)).toMatchObject([{ id: hook }]);
});

test.each(['file:///etc/passwd', 'https://user:pass@example.com/', 'https://exa mple.com/', ''])(
  '%s is refused',
  async (url) => {
    await expect(add({ url })).rejects.toMatchObject({ code: 'work.invalid' });
  },
);

// Every change of any work reads them: long ones would make all work slower.
test.each([
  { events: Array.from({ length: 21 }, () => 'work.queued' as const) },
  { faculties: [] },
  { faculties: ['x'.repeat(64)] },
  { faculties: ['Not a name'] },
  { faculties: ['one', null as unknown as string] },
  { faculties: Array.from({ length: 101 }, (_, n) => `f${n}`) },
])('lists that are not lists of events and faculties are refused: case %#', async (given) => {
  await expect(add(given)).rejects.toMatchObject({ code: 'work.invalid' });
});

test('a webhook may be for 100 faculties', async () => {
  const faculties = Array.from({ length: 100 }, (_, n) => `f${n}`);
  const id = await add({ faculties });
  expect(await listWebhooks(target.database)).toMatchObject([{ id, faculties }]);
});

test('a webhook takes events again when what it had too much of was deleted', async () => {
  const id = await add();
  await target.database.query(`update animus.webhooks set overflow = 'dropped', overflow_since = now()`);
  await pruneDeliveries(target.database, 7, 100);
  expect(await listWebhooks(target.database)).toMatchObject([{ id, overflow: null }]);
});

test('of an item one at a time, in order; a void claim changes nothing', async () => {
  await add({ events: ['work.queued', 'work.cancelled'] });
  const id = await submit();
  await target.database.query(`select animus.cancel_work($1, '')`, [id]);
  const [first, ...others] = await claim();
  expect([first!.event, others]).toEqual(['work.queued', []]);
  expect(await claim()).toEqual([]);
  // As after a minute.
  await target.database.query(`update animus.webhook_deliveries set due_at = now() where claim is not null`);
  const [again] = await claim();
  expect(again).toMatchObject({ messageId: first!.messageId, body: first!.body, attempt: 2 });
  expect(await endDelivery(target.database, first!, ARRIVED)).toBeNull();
  expect(await endDelivery(target.database, again!, ARRIVED)).toBe('delivered');
  expect((await claim()).map(({ event }) => event)).toEqual(['work.cancelled']);
});

test('what arrived goes after a day, dead letters with old work, and what a removed webhook left', async () => {
  await add({});
  for (let n = 0; n < 4; n++) await submit();
  await target.database.query(
    `update animus.webhook_deliveries d set state = given.state, ended_at = now() - given.age
       from (select row_number() over (order by id) as n, id from animus.webhook_deliveries) numbered
       join (values (1, 'delivered', interval '25 hours'), (2, 'delivered', interval '1 hour'), (3, 'dead', interval '2 days'), (4, 'dead', interval '9 days')) given (n, state, age) using (n)
      where d.id = numbered.id`,
  );
  expect(await pruneDeliveries(target.database, 7, 100)).toBe(2);
  expect(await deliveries()).toHaveLength(2);
  await target.database.query('delete from animus.webhooks');
  await pruneDeliveries(target.database, 7, 100);
  expect(await deliveries()).toEqual([]);
});

const KEY = 'k'.repeat(64);
const animus = (argv: readonly string[], env: Record<string, string> = {}) =>
  run(argv, { env: { DATABASE_URL: target.connectionString, ANIMUS_WEBHOOK_KEY: KEY, ...env } });
const json = async (...argv: string[]) => JSON.parse((await animus([...argv, '--json'])).stdout);

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
  expect((await animus(['status'])).stdout).toContain(
    '1 webhook delivery failed permanently: animus webhook list --dead',
  );
  expect((await animus(['webhook', 'list'])).stdout).toContain('the receiver answered 500');
  const retried = await animus(['webhook', 'retry', id.slice(0, 8), '--delivery', deliveries[0].id]);
  expect(retried.stdout).toContain('1 delivery of webhook');
  expect(await json('webhook', 'list', '--dead')).toEqual({ deliveries: [] });
  expect((await animus(['webhook', 'remove', id])).code).toBe(0);
  expect(await target.database.query('select from animus.webhook_deliveries')).toEqual([]);
});

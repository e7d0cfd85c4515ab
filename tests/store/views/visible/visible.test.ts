/** What a gateway reads for a person: its own work, or all of it for a reader, whether the transcript is packed or not. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asVisitor, type Visitor } from '../../../../src/http/login/visitor.ts';
import { openPostgres } from '../../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../../src/store/sql/database.ts';
import { packHistory } from '../../../../src/store/work/retention.ts';
import { testDatabase } from '../../../support/database.ts';
import { visitorFor } from '../../../support/people.ts';
import { createLogin, dropLogins } from '../../../support/role-login.ts';
import { fillHistory } from '../../work/fill-history.ts';
import { fillQueue } from '../../work/fill-queue.ts';
import { insertWork } from '../../work/queue-driver.ts';
import { MORE_ROWS } from './visible-rows.ts';

/** Views by item, with the column that names it. The others are for those who see all work, or have no item. */
const OF_ITEMS: Readonly<Record<string, string>> = {
  visible_work: 'id',
  visible_item: 'id',
  visible_foci: 'work_item_id',
  visible_turns: 'work_item_id',
  visible_tool_calls: 'work_item_id',
  visible_messages: 'work_item_id',
  visible_ledger: 'work_item_id',
  visible_artifacts: 'work_item_id',
  visible_waits: 'work_item_id',
  visible_inbox: 'work_item_id',
  visible_item_asks: 'work_item_id',
  visible_inbox_groups: 'root_id',
  visible_mail: 'work_item_id',
  visible_decisions: 'work_item_id',
  visible_skill_activations: 'work_item_id',
};
const OF_READERS = (
  'visible_schedules visible_schedule_runs visible_pauses visible_grants ' +
  'visible_audit visible_refused_calls visible_chains'
).split(' ');

/** What these are made of. */
const OF_AUDIT: Readonly<Record<string, string>> = { visible_chains: 'decisions' };

const OF_CONVERSATIONS = (
  'visible_conversations visible_conversation_people visible_chat_messages ' +
  'visible_workspaces visible_files visible_message_files'
).split(' ');
const CHECKED_APART = (
  'visible_people visible_tokens visible_faculty_settings visible_faculties ' +
  'visible_spend visible_skill_versions visible_skill_files visible_daemons visible_faculty_problems'
).split(' ');

const target = testDatabase();
const logins: string[] = [];
const ids = { alice: [] as string[], bob: [] as string[] };
let gateway: Database;
let alice: Visitor;
let rita: Visitor;
beforeAll(async () => {
  const db = target.database;
  gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins), { poolSize: 2 });
  alice = await visitorFor(db, 'alice');
  rita = await visitorFor(db, 'rita', 'reader');
  await fillHistory(db, 4, { turns: 2, callsPerTurn: 1, messages: 1, ledger: 2 });
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    const rows = await tx.query<{ id: string }>(
      `with n as (select id, row_number() over (order by resolved_at) as n from animus.work_items)
       update animus.work_items w set submitted_by = case n.n % 2 when 1 then 'person:alice' else 'person:bob' end from n where n.id = w.id
       returning w.id, w.submitted_by, n.n`,
    );
    for (const row of rows)
      ids[(row as { submitted_by?: string }).submitted_by === 'person:alice' ? 'alice' : 'bob'].push(row.id);
    for (const sql of MORE_ROWS) await tx.query(sql);
  });
  // The two older ones, one of each.
  expect(await packHistory(db, 0, 2)).toBe(2);
  expect(await db.query('select from animus.history')).toHaveLength(2);
});
afterAll(async () => {
  await gateway.close();
  await dropLogins(logins);
});

const seen = (visitor: Visitor, sql: string, params: readonly unknown[] = []) =>
  asVisitor(gateway, visitor, (tx) => tx.query(sql, params));
const itemsOf = async (visitor: Visitor, view: string, column: string) =>
  (
    await seen(visitor, `select distinct ${column} as id from animus.${view} where ${column} is not null order by 1`)
  ).map(({ id }) => id);

test('every view that is granted to gateways is checked here', async () => {
  const views = await target.database.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'animus'::regnamespace and relkind = 'v' and starts_with(relname, 'visible_') order by 1`,
  );
  expect(views.map(({ name }) => name)).toEqual(
    [...Object.keys(OF_ITEMS), ...OF_READERS, ...OF_CONVERSATIONS, ...CHECKED_APART].toSorted(),
  );
});

test.each(Object.entries(OF_ITEMS))('%s: a submitter sees its own work, a reader all', async (view, column) => {
  expect(await itemsOf(alice, view, column)).toEqual(ids.alice.toSorted());
  expect(await itemsOf(rita, view, column)).toEqual([...ids.alice, ...ids.bob].toSorted());
  for (const id of [...ids.bob, '00000000-0000-7000-8000-000000000000']) {
    expect(await seen(alice, `select from animus.${view} where ${column} = $1`, [id])).toEqual([]);
  }
  expect(await gateway.query(`select from animus.${view}`)).toEqual([]);
});

test.each(OF_READERS)('%s: only a reader', async (view) => {
  expect(await seen(alice, `select from animus.${view}`)).toEqual([]);
  const all = await target.database.query(`select from animus.${OF_AUDIT[view] ?? view.slice('visible_'.length)}`);
  expect((await seen(rita, `select from animus.${view}`)).length).toBe(all.length);
  expect(all.length).toBeGreaterThan(0);
});

test.each(OF_CONVERSATIONS)('%s: of conversations in which one takes part, for a reader all', async (view) => {
  const sql =
    view === 'visible_files' ? 'select from animus.visible_files where not is_virtual' : `select from animus.${view}`;
  expect(await seen(alice, sql)).toHaveLength(1);
  expect(await seen(rita, sql)).toHaveLength(2);
  expect(await gateway.query(sql)).toEqual([]);
});

test('decisions about no item, hosts and directories are for readers', async () => {
  const sql = 'select from animus.visible_decisions where work_item_id is null';
  expect(await seen(alice, sql)).toEqual([]);
  expect((await seen(rita, sql)).length).toBeGreaterThan(0);
  expect(await seen(alice, 'select distinct host from animus.visible_foci')).toEqual([{ host: null }]);
  expect(await seen(rita, 'select distinct host from animus.visible_foci')).toEqual([{ host: 'host' }]);
  expect(await seen(alice, 'select name, daemons, hosts from animus.visible_faculties')).toEqual([
    { name: 'engineer', daemons: 1, hosts: null },
  ]);
  expect(await seen(rita, 'select hosts from animus.visible_faculties')).toEqual([{ hosts: ['here'] }]);
  const settings = 'select name, host, settings from animus.visible_faculty_settings';
  expect(await seen(alice, settings)).toEqual([{ name: 'engineer', host: null, settings: {} }]);
  expect(await seen(rita, settings)).toEqual([{ name: 'engineer', host: 'here', settings: {} }]);
});

test("spend: a person's own, or all", async () => {
  const sql = 'select submitter from animus.visible_spend order by 1';
  expect(await seen(alice, sql)).toEqual([{ submitter: 'person:alice' }]);
  expect(await seen(rita, sql)).toHaveLength(2);
});

test('skills: the current ones, without what they were made from, or all', async () => {
  const sql = 'select version, work_item_id is not null as of_work from animus.visible_skill_versions order by 1';
  expect(await seen(alice, sql)).toEqual([{ version: 1, of_work: false }]);
  expect(await seen(rita, sql)).toEqual([1, 2].map((version) => ({ version, of_work: true })));
  expect(await seen(alice, 'select version, path from animus.visible_skill_files')).toEqual([
    { version: 1, path: 'SKILL.md' },
  ]);
});

test('the status and the limits of an item', async () => {
  await expect(seen(alice, 'select animus.visible_status()')).rejects.toThrow(/may not see the work of others/);
  expect(await seen(rita, `select animus.visible_status() ? 'states' as known`)).toEqual([{ known: true }]);
  const budget = 'select animus.visible_budget_left($1) as limits';
  await target.database.query(`select animus.set_budget('appliance', null, 'day', 'usd', 5)`);
  expect(await seen(alice, budget, [ids.bob[0]])).toEqual([{ limits: null }]);
  expect((await seen(alice, budget, [ids.alice[0]]))[0]!['limits']).not.toBeNull();
});

test('schedules are added, paused and removed by operators only', async () => {
  const olga = await visitorFor(target.database, 'olga', 'operator');
  const calls = [
    `select animus.add_schedule('weekly', '0 0 * * 0', 'engineer')`,
    `select animus.pause_schedule('weekly', true)`,
    `select animus.remove_schedule('weekly')`,
  ];
  for (const sql of calls) await expect(seen(rita, sql)).rejects.toMatchObject({ code: 'db.forbidden' });
  for (const sql of calls) await seen(olga, sql);
  await expect(seen(olga, calls[2]!)).rejects.toMatchObject({ code: 'work.not_found' });
});

const PAGE = 'select id from animus.list_visible_work($1, $2, $3, $4, $5) id';
const page = async (visitor: Visitor, limit: number, ...filter: (string | null)[]) =>
  (await seen(visitor, PAGE, [limit, ...Array.from({ length: 4 }, (_, n) => filter[n] ?? null)])).map(({ id }) => id);

test('a page: newest first, after an id, by state, faculty and parent', async () => {
  const newest = ids.alice.toSorted().toReversed();
  expect(await page(alice, 10)).toEqual(newest);
  expect(await page(alice, 1)).toEqual(newest.slice(0, 1));
  expect(await page(alice, 10, newest[0]!)).toEqual(newest.slice(1));
  expect(await page(rita, 10)).toEqual([...ids.alice, ...ids.bob].toSorted().toReversed());
  for (const visitor of [alice, rita]) {
    const all = await page(visitor, 10);
    expect(await page(visitor, 10, null, 'completed')).toEqual(all);
    expect(await page(visitor, 10, null, null, 'engineer')).toEqual(all);
    expect(await page(visitor, 10, null, 'completed', 'engineer')).toEqual(all);
    for (const state of ['queued', 'scheduled', 'claimed', 'running', 'waiting', 'dead', 'merged', 'cancelled']) {
      expect(await page(visitor, 10, null, state)).toEqual([]);
    }
    expect(await page(visitor, 10, null, null, 'writer')).toEqual([]);
    expect(await page(visitor, 10, null, null, null, newest[0]!)).toEqual([]);
    await expect(page(visitor, 10, null, 'asleep')).rejects.toMatchObject({ code: 'work.invalid' });
    await expect(page(visitor, 0)).rejects.toMatchObject({ code: 'work.invalid' });
  }
  const child = await insertWork(target.database, { parent_id: newest[0]! });
  expect(await page(alice, 10, null, null, null, newest[0]!)).toEqual([]);
  expect(await page(rita, 10, null, null, null, newest[0]!)).toEqual([child]);
});

async function expectFewPages(visitor: Visitor, filter: readonly (string | null)[]): Promise<void> {
  const params = [50, ...Array.from({ length: 4 }, (_, n) => filter[n] ?? null)];
  await page(visitor, 50, ...filter);
  const plan = await seen(visitor, `explain (analyze, buffers, format json) ${PAGE}`, params);
  const { Plan } = (plan[0]!['QUERY PLAN'] as { Plan: Record<string, number> }[])[0]!;
  expect(Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!, JSON.stringify(filter)).toBeLessThan(150);
}

test("a page of one person's few items of a state or faculty, among its thousands, reads few pages", async () => {
  await fillQueue(target.database, { queued: {}, resolved: 10_000 });
  const dave = await visitorFor(target.database, 'dave');
  await target.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `update animus.work_items set submitted_by = 'person:dave' where resolved_at is not null and faculty = 'noop'`,
    );
  });
  await target.database.query('vacuum analyze animus.work_items');
  for (const state of [null, 'completed', 'queued', 'running', 'cancelled']) {
    await expectFewPages(dave, [null, state, 'engineer']);
    await expectFewPages(dave, [null, state]);
  }
});

test("a page of one person's few items among many reads few pages", async () => {
  await fillQueue(target.database, { queued: { noop: 10_000 }, resolved: 10_000 });
  for (const [visitor, filter] of [
    [alice, [null]],
    [alice, [null, 'completed']],
    [alice, [null, null, 'engineer']],
    [rita, [null]],
    [rita, [null, 'dead']],
    [rita, [null, 'running', 'engineer']],
    // All queued items are older than the ended ones.
    [rita, [null, 'queued']],
    [rita, [null, 'queued', 'noop']],
  ] as const) {
    await expectFewPages(visitor, filter);
  }
});

import { existsSync, mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createJanitor } from '../../../src/daemon/timers/janitor.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { pruneWork } from '../../../src/store/work/retention.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { clearWork } from '../../support/clear-work.ts';
import { temporaryHome, testDatabase } from '../../support/database.ts';
import { fakeDatabaseClock } from '../../support/database-clock.ts';
import { hangEverythingOn } from './whole-work.ts';

const target = testDatabase();
const home = temporaryHome();
/** A focus of another database. */
const OTHER = '0197a000-0000-7000-8000-000000000000';
let clock: Awaited<ReturnType<typeof fakeDatabaseClock>> | undefined;

test('work that ended long ago is deleted with everything that belongs to it; everything else stays', async () => {
  const { db, sweep } = await setUp();
  const old = await insert(db, { description: 'old' });
  await hangEverythingOn(db, old);
  await resolve(db, old);
  await clock!.set('+89 days');
  const young = await insert(db, { description: 'young' });
  await resolve(db, young);
  await insert(db, { description: 'open' });
  expect(await sweep()).toMatchObject({ items: 0 });
  await clock!.set('+2 days');
  expect(await sweep()).toMatchObject({ items: 1, busy: false });
  expect(await descriptions(db)).toEqual(['young', 'open']);
  for (const table of [
    'work_ledger',
    'foci',
    'turns',
    'tool_calls',
    'focus_messages',
    'artifacts',
    'waits',
    'watches',
  ]) {
    expect([table, await db.query(`select count(*)::int from animus.${table}`)]).toEqual([table, [{ count: 0 }]]);
  }
});

test('a tree is deleted as a whole: not while a descendant is open or has ended recently', async () => {
  const { db, sweep } = await setUp();
  const root = await insert(db, { description: 'root' });
  const child = await insert(db, { description: 'child', parent_id: root });
  const grandchild = await insert(db, { description: 'grandchild', parent_id: child });
  await resolve(db, root);
  await resolve(db, child);
  await clock!.set('+100 days');
  expect(await sweep()).toMatchObject({ items: 0 });
  await resolve(db, grandchild);
  await clock!.set('+89 days');
  expect(await sweep()).toMatchObject({ items: 0 });
  await clock!.set('+2 days');
  expect(await sweep()).toMatchObject({ items: 3 });
});

test('it works in small transactions, even for trees that are larger than one, leaves first', async () => {
  const { db } = await setUp();
  const root = await insert(db, { description: 'root' });
  const child = await insert(db, { description: 'child', parent_id: root });
  await db.query(
    `insert into animus.work_items (faculty, parent_id) select 'engineer', $1 from generate_series(1, 25)`,
    [child],
  );
  await db.query(`insert into animus.work_items (faculty) select 'engineer' from generate_series(1, 15)`);
  await resolve(db);
  await clock!.set('+91 days');
  const batches: number[] = [];
  let cursor = null;
  do {
    const pruned = await pruneWork(db, 90, 10, cursor);
    batches.push(pruned.deleted!);
    cursor = pruned.cursor;
    const orphans = await db.query(
      `select from animus.work_items w where parent_id is not null and not exists (select from animus.work_items p where p.id = w.parent_id)`,
    );
    expect(orphans).toEqual([]);
  } while (cursor !== null || batches.at(-1)! > 0);
  expect(Math.max(...batches)).toBeLessThanOrEqual(10);
  expect(batches.reduce((sum, count) => sum + count, 0)).toBe(42);
});

test('a hundred old trees that cannot be deleted do not hide the one behind them', async () => {
  const { db, sweep } = await setUp();
  // One statement, so all have the same time: the order needs more than the time.
  await db.query(
    `insert into animus.work_items (faculty, description) select 'engineer', 'stuck' from generate_series(1, 450)`,
  );
  await db.query(
    `insert into animus.work_items (faculty, description, parent_id) select 'engineer', 'open', id from animus.work_items`,
  );
  await db.query(
    `update animus.work_items set state = 'cancelled', resolved_at = animus.now() where description = 'stuck'`,
  );
  const last = await insert(db, { description: 'last' });
  await resolve(db, last);
  await clock!.set('+91 days');
  expect(await sweep()).toMatchObject({ items: 1 });
});

test('a round that runs out of time says that there is more', async () => {
  const { db, sweep } = await setUp();
  await db.query(
    `insert into animus.work_items (faculty, description) select 'engineer', 'old' from generate_series(1, 450)`,
  );
  await resolve(db);
  await clock!.set('+91 days');
  let nowMs = 0;
  const hurried = { ...systemClock, sleep: async () => {}, monotonicMs: () => (nowMs += 20_000) };
  expect(await sweep(hurried)).toMatchObject({ more: true });
  expect(await sweep()).toMatchObject({ more: false });
  expect(await descriptions(db)).toEqual([]);
});

test('transcripts are packed where the setting says so, and their month goes after the work', async () => {
  const { db, sweep } = await setUp(30);
  const old = await insert(db, { description: 'old' });
  await db.query(`select animus.append_ledger($1, 'note', 'x')`, [old]);
  await resolve(db, old);
  await clock!.set('+29 days');
  expect(await sweep()).toMatchObject({ packed: 0 });
  await clock!.set('+2 days');
  expect(await sweep()).toMatchObject({ packed: 1, months: 0 });
  expect(await db.query('select content from animus.all_ledger')).toEqual([{ content: 'x' }]);
  await clock!.set('+100 days');
  expect(await sweep()).toMatchObject({ items: 1, packed: 0, months: 1, more: false });
});

test('nobody waits: retention skips a locked item, a retry does not wait for retention, and two janitors take turns', async () => {
  const { db, sweep } = await setUp();
  const [held, free] = [await insert(db, { description: 'held' }), await insert(db, { description: 'free' })];
  await resolve(db);
  await clock!.set('+91 days');
  const other = target.open({ poolSize: 1 });
  await other.transaction(async (tx) => {
    await tx.query('select from animus.work_items where id = $1 for update', [held]);
    expect(await sweep()).toMatchObject({ items: 1, busy: false });
    expect(await descriptions(db)).toEqual(['held']);
  });
  await other.transaction(async (tx) => {
    await tx.query('select animus.try_retention()');
    expect(await sweep()).toMatchObject({ items: 0, busy: true });
  });
  await db.query('select animus.retry_work($1)', [held]);
  expect(await sweep()).toMatchObject({ items: 0 });
  expect(await descriptions(db)).toEqual(['held']);
  expect(free).not.toBe(held);
});

test('removes archives, runs of schedules, watches, old daemons and directories of ended foci', async () => {
  const { db, sweep } = await setUp();
  await db.query(
    `insert into pgmq.a_animus_work (msg_id, vt, archived_at) values (-1, now(), animus.now()), (-2, now(), animus.now() + interval '80 days')`,
  );
  await db.query(`insert into pgmq.a_animus_inbox (msg_id, vt, archived_at) values (-1, now(), animus.now())`);
  await db.query(`insert into animus.schedules (name, cron, faculty) values ('s', '* * * * *', 'engineer')`);
  await db.query(
    `insert into animus.schedule_runs (schedule, due_at, until_at, result, recorded_at) values ('s', animus.now(), animus.now(), 'missed', animus.now())`,
  );
  await db.query(`select animus.register_daemon(gen_random_uuid(), 'gone', 1, '1', 4, '{}', '[]')`);
  const open = await insert(db, { description: 'open' });
  await db.query('select animus.watch_work($1)', [open]);
  const ended = await hangEverythingOn(db, open);
  await db.query(`update animus.foci set ended_as = 'failed', ended_at = animus.now()`);
  const places = ['foci', 'homes'].flatMap((root) => [ended, OTHER].map((id) => `${home}/${root}/${id}`));
  for (const place of places) mkdirSync(place, { recursive: true });
  await clock!.set('+100 days');
  await db.query(`select animus.register_daemon(gen_random_uuid(), 'here', 1, '1', 4, '{}', '[]')`);
  expect(await sweep()).toEqual({
    conversations: 0,
    items: 0,
    artifacts: 0,
    archived: 3,
    registered: 2,
    packages: 0,
    worktrees: 0,
    directories: 2,
    packed: 0,
    months: 0,
    busy: false,
    more: false,
  });
  expect(await db.query('select host from animus.daemons')).toEqual([{ host: 'here' }]);
  expect(places.map((place) => existsSync(place))).toEqual([false, true, false, true]);
});

test('artifacts are deleted sooner than their work, once it has ended', async () => {
  const { db, sweep } = await setUp();
  const item = await insert(db, { description: 'kept' });
  await hangEverythingOn(db, item);
  await clock!.set('+60 days');
  expect(await sweep()).toMatchObject({ artifacts: 0 });
  await resolve(db, item);
  await clock!.set('+31 days');
  expect(await sweep()).toMatchObject({ artifacts: 1, items: 0 });
});

async function setUp(packDays: number | null = null) {
  const db = target.database;
  clock ??= await fakeDatabaseClock(db, '2026-01-01T00:00:00Z');
  await clearWork(db);
  await db.query('delete from animus.daemons');
  await db.query('delete from animus.history_position');
  const retention = {
    resolvedDays: 90,
    packDays,
    artifactsDays: 30,
    worktreeDays: 14,
    heldWorktreeDays: null,
    directoriesDays: 7,
  };
  const sweep = (time: Clock = systemClock) =>
    createJanitor({
      db,
      clock: time,
      log: silentLog,
      retention: () => retention,
      directoryRoot: `${home}/foci`,
      prunes: new Map(),
    }).sweep();
  return { db, sweep };
}

async function insert(db: Database, item: { description: string; parent_id?: string }): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty, description, parent_id) values ('engineer', $1, $2) returning id`,
    [item.description, item.parent_id ?? null],
  );
  return row!.id;
}

/** Cancels the item alone, or every item. */
async function resolve(db: Database, id: string | null = null): Promise<void> {
  await db.query(
    `update animus.work_items set state = 'cancelled', resolved_at = animus.now() where $1::uuid is null or id = $1`,
    [id],
  );
}

async function descriptions(db: Database): Promise<unknown[]> {
  const rows = await db.query('select description from animus.work_items order by id');
  return rows.map((row) => row['description']);
}

/** Retention: what one batch deletes, what it leaves, and what it costs. */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type PruneCursor, pruneWork, readKeptRows } from '../../../src/store/work/retention.ts';
import { type DatabaseClock, fakeDatabaseClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { fillHistory, USUAL } from './fill-history.ts';
import { emptyQueue, insertWork } from './queue-driver.ts';

const target = testDatabase();
let clock: DatabaseClock;
beforeAll(async () => {
  clock = await fakeDatabaseClock(target.database);
});
beforeEach(() => emptyQueue(target.database));

test('a batch reads a few pages per row, also with statistics from when the tables were empty', async () => {
  const db = target.database;
  await fillHistory(db, 600, USUAL);
  const perItem: number[] = [];
  for (let n = 0; n < 3; n++) {
    const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) select * from animus.prune_work('90 days', 200)`,
    );
    const plan = row!['QUERY PLAN'][0].Plan;
    perItem.push((plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!) / 200);
  }
  expect(await left()).toBe(0);
  // 26 rows an item. The first batch also fills the session's caches. PostgreSQL 17 finds a set of keys in an index with fewer pages than 15 and 16.
  const [server] = await db.query<{ older: boolean }>(
    `select current_setting('server_version_num')::int < 170000 as older`,
  );
  expect(Math.max(...perItem.slice(1))).toBeLessThan(server!.older ? 162 : 150);
});

test('work that ended at the very moment is not older than it', async () => {
  const db = target.database;
  const id = await insertWork(db);
  await db.query('select animus.cancel_work($1)', [id]);
  const older = async (than: string) =>
    db.query(
      `select t.id from animus.work_items w cross join lateral animus.old_trees(w.resolved_at + $2::interval, 9, null, null) t where w.id = $1`,
      [id, than],
    );
  expect(await older('0')).toEqual([]);
  expect(await older('1 microsecond')).toEqual([{ id }]);
});

test('one referenced tree among hundreds is found and kept, whatever its size, and the trees behind it are deleted', async () => {
  const db = target.database;
  await fillHistory(db, 300, USUAL);
  const large = await tree(24);
  const small = await tree(2);
  await db.query('select animus.cancel_work(id) from unnest($1::uuid[]) id', [[large.root, small.root]]);
  await clock.advance(100 * 86_400);
  await db.query('create table bills (work uuid references animus.work_items (id))');
  await db.query(`insert into bills select id from animus.work_items where state = 'completed' order by id limit 3`);
  await db.query('insert into bills values ($1), ($2)', [large.children[7], small.root]);

  expect(await pruneAll(10)).toBe(297);
  expect(await left()).toBe(3 + 25 + 3);
  expect((await readKeptRows(db))!.map((row) => row.id)).toEqual(expect.arrayContaining([large.root, small.root]));
  expect(await readKeptRows(db)).toHaveLength(5);

  await db.query('drop table bills');
  await clock.advance(3601);
  expect(await pruneAll(10)).toBe(31);
});

test('it comes to an end, also where the last batch is full', async () => {
  await fillHistory(target.database, 60, USUAL);
  expect(await pruneAll(20)).toBe(60);
  expect(await pruneAll(20)).toBe(0);
});

test('a tree with a locked item stays whole, and the others of the batch are deleted', async () => {
  const db = target.database;
  const [one, two, open] = [await tree(2), await tree(2), await tree(2)];
  await db.query('select animus.cancel_work(id) from unnest($1::uuid[]) id', [[one.root, two.root]]);
  await clock.advance(100 * 86_400);
  const other = target.open({ poolSize: 1 });
  await other.transaction(async (tx) => {
    // As the insert of a child does.
    await tx.query('select from animus.work_items where id = $1 for key share', [one.children[1]]);
    expect(await pruneAll(200)).toBe(3);
    expect(await ids()).toEqual([one, open].flatMap(({ root, children }) => [root, ...children]).toSorted());
  });
  expect(await pruneAll(200)).toBe(3);
  expect(await left()).toBe(3);
});

test('entries of the ledger cannot be changed or deleted while their item exists, and go with it', async () => {
  const db = target.database;
  await fillHistory(db, 2, USUAL);
  const [row] = await db.query<{ id: string }>('select id from animus.work_items limit 1');
  for (const sql of [
    `update animus.work_ledger set content = 'x' where seq = 1`,
    'delete from animus.work_ledger where seq = 1',
    'delete from animus.work_ledger',
    'truncate animus.work_ledger',
    `with gone as (delete from animus.work_items where id = '${row!.id}') delete from animus.work_ledger`,
  ])
    await expect(db.query(sql), sql).rejects.toThrow(/work_ledger is append-only: \w+ refused/);
  await db.query('delete from animus.work_items where id = $1', [row!.id]);
  expect(await db.query('select distinct work_item_id = $1 as gone from animus.work_ledger', [row!.id])).toEqual([
    { gone: false },
  ]);
});

async function tree(children: number): Promise<{ readonly root: string; readonly children: string[] }> {
  const root = await insertWork(target.database);
  const made: string[] = [];
  for (let n = 0; n < children; n++) made.push(await insertWork(target.database, { parent_id: root }));
  return { root, children: made };
}

async function pruneAll(limit: number): Promise<number> {
  let deleted = 0;
  let cursor: PruneCursor | null = null;
  for (let n = 0; n < 200; n++) {
    const pruned = await pruneWork(target.database, 90, limit, cursor);
    deleted += pruned.deleted!;
    cursor = pruned.cursor;
    if (cursor === null && pruned.deleted! < limit) return deleted;
  }
  throw new Error('retention does not come to an end');
}

async function ids(): Promise<string[]> {
  return (await target.database.query<{ id: string }>('select id from animus.work_items order by id')).map(
    (row) => row.id,
  );
}

async function left(): Promise<number> {
  return (await ids()).length;
}

/** Retention with tables of an application that reference animus's tables by foreign keys. */
import { beforeAll, expect, test } from 'vitest';
import { readStatus } from '../../../src/features/operate/status/status.ts';
import {
  pruneArchives,
  pruneArtifacts,
  pruneRegisters,
  pruneWork,
  readKeptRows,
} from '../../../src/store/work/retention.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { type DatabaseClock, fakeDatabaseClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { emptyQueue, insertWork } from './queue-driver.ts';

const target = testDatabase();
let clock: DatabaseClock;
beforeAll(async () => {
  clock = await fakeDatabaseClock(target.database);
});

const prune = () => pruneWork(target.database, 1, 200, null);
const left = async () => (await target.database.query('select from animus.work_items')).length;

test('rows that a foreign key references are skipped and reported, for any kind of reference; the rest is deleted', async () => {
  const db = target.database;
  await emptyQueue(db);
  const ids: string[] = [];
  for (let n = 0; n < 31; n++) ids.push(await ended());
  await db.query(`create table invoices (work uuid references animus.work_items (id), later uuid references animus.work_items (id) deferrable initially deferred,
    focus uuid references animus.foci (id) on delete restrict, gone uuid references animus.work_items (id) on delete set null)`);
  await db.query('insert into invoices (work) values ($1)', [ids[3]]);
  await db.query('insert into invoices (later) values ($1)', [ids[4]]);
  await db.query('insert into invoices (focus) select id from animus.foci where work_item_id = $1', [ids[5]]);
  await db.query('insert into invoices (gone) values ($1)', [ids[6]]);
  await clock.advance(2 * 86_400);

  expect(await prune()).toEqual({ deleted: 28, cursor: null });
  const kept = await readKeptRows(db);
  expect(new Set(kept!.map((row) => `${row.table} ${row.id} ${row.referenced_by}`))).toEqual(
    new Set([
      `animus.work_items ${ids[3]} public.invoices (invoices_work_fkey)`,
      `animus.work_items ${ids[4]} public.invoices (invoices_later_fkey)`,
      `animus.work_items ${ids[5]} public.invoices (invoices_focus_fkey)`,
    ]),
  );
  expect((await readStatus(db)).kept).toMatchObject({
    rows: 3,
    examples: expect.arrayContaining([expect.objectContaining({ id: ids[4] })]),
  });

  // Not retried at once; an hour later, rows without references are deleted.
  await db.query('delete from invoices');
  expect((await prune()).deleted).toBe(0);
  await clock.advance(3601);
  expect((await prune()).deleted).toBe(3);
  expect([await left(), await readKeptRows(db)]).toEqual([0, []]);
});

test('a tree with one referenced row stays whole, and the trees around it are deleted', async () => {
  const db = target.database;
  await emptyQueue(db);
  const root = await insertWork(db);
  const child = await insertWork(db, { parent_id: root });
  await db.query('select animus.cancel_work($1)', [root]);
  await ended();
  await db.query('create table notes (work uuid references animus.work_items (id))');
  await db.query('insert into notes values ($1)', [child]);
  await clock.advance(2 * 86_400);
  expect((await prune()).deleted).toBe(1);
  expect(await left()).toBe(2);
  expect(await readKeptRows(db)).toMatchObject([{ id: root, referenced_by: 'public.notes (notes_work_fkey)' }]);
  await db.query('drop table notes');
});

test('artifacts, archives and daemons are kept and reported in the same way', async () => {
  const db = target.database;
  await emptyQueue(db);
  for (let n = 0; n < 2; n++) {
    const id = await ended();
    await db.query(
      `insert into animus.artifacts (id, focus_id, name, media_type, bytes, content, created_at)
       select gen_random_uuid(), f.id, 'a', 't', 1, 'x', animus.now() from animus.foci f where f.work_item_id = $1`,
      [id],
    );
  }
  await db.query(`select animus.register_daemon(gen_random_uuid(), 'h', 1, '0', 1, '{}', '[]')`);
  await db.query(
    `create table links (artifact uuid references animus.artifacts (id), message bigint references pgmq.a_animus_work (msg_id), daemon uuid references animus.daemons (id))`,
  );
  await db.query(
    `insert into links values ((select id from animus.artifacts limit 1), (select min(msg_id) from pgmq.a_animus_work), (select id from animus.daemons limit 1))`,
  );
  await clock.advance(30 * 86_400);
  expect(await pruneArtifacts(db, 1, 200)).toBe(1);
  expect(await pruneArchives(db, 1, 200)).toBe(0);
  expect(await pruneRegisters(db, 200)).toBe(0);
  const kept = (await readKeptRows(db))!.map((row) => row.table);
  expect(kept.toSorted()).toEqual(['animus.artifacts', 'animus.daemons', 'pgmq.a_animus_work']);
  await db.query('drop table links');
});

test('a batch is kept for forty days after its end, and as long as it is open', async () => {
  const { database: db } = target;
  await db.query(
    `insert into animus.batches (id, provider, place, path, model, state, ended_as, ended_at, requests, created_at, unclear_at)
     select gen_random_uuid(), 'p', 'p', '/', 'm', state, ended_as, case when ended_as is not null then animus.now() end, 1, animus.now(), animus.now()
       from (values ('ended', 'lost'), ('submitting', null)) as b (state, ended_as)`,
  );
  await clock.advance(39 * 86_400);
  await pruneRegisters(db, 200);
  expect(await db.query('select from animus.batches')).toHaveLength(2);
  await clock.advance(2 * 86_400);
  await pruneRegisters(db, 200);
  expect(await db.query('select state from animus.batches')).toEqual([{ state: 'submitting' }]);
});

async function ended(): Promise<string> {
  const work = await beginFocus(target.database);
  await completeWork(target.database, work, {}, null);
  return work.id;
}

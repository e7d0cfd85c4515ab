/** The promise: one statement ends any number of items with a bounded number of locks, which the whole server shares, and all of them or none. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { completeBatch } from '../../../src/store/work/claimed/complete-batch.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { claim, claimOne, codeOf, emptyQueue, insertWork, openTransaction } from './queue-driver.ts';

const target = testDatabase();
const logins: string[] = [];
beforeEach(() => emptyQueue(target.database));
afterAll(() => dropLogins(logins));

const insertMany = (items: number) =>
  target.database.query(`insert into animus.work_items (faculty) select 'engineer' from generate_series(1, $1)`, [
    items,
  ]);

const QUEUED = `(select id from animus.work_items where state = 'queued')`;
const MANY = 1000;

const ENDS: Readonly<Record<string, (tx: Queryable) => Promise<unknown>>> = {
  'cancel_works, all in one call': (tx) => tx.query(`select animus.cancel_works(array${QUEUED}, 'enough')`),
  'cancel_work, a call for each': (tx) => tx.query(`select animus.cancel_work(id, 'enough') from ${QUEUED} w`),
  complete_batch: async (tx) => {
    const works = await claim(target.database, MANY);
    await completeBatch(
      tx,
      works.map(({ id, leaseToken }) => ({ id, leaseToken, outcome: {}, summary: null })),
    );
  },
  'complete_work, a call for each': async (tx) => {
    await claim(target.database, MANY);
    await tx.query(`select animus.complete_work(id, lease_token, '{}') from animus.work_items where state = 'claimed'`);
  },
};

test.each(Object.entries(ENDS))('a thousand items end by %s with no lock for each', async (_, end) => {
  await insertMany(MANY);
  await target.database.transaction(async (tx) => {
    await end(tx);
    const [row] = await tx.query(`select
      (select count(*)::int from animus.work_items where resolved_at is null) as open,
      (select count(*)::int from pg_locks where pid = pg_backend_pid() and locktype = 'advisory') <= 64 as bounded,
      (select count(*)::int from pg_locks where pid = pg_backend_pid()) < 400 as few`);
    expect(row).toEqual({ open: 0, bounded: true, few: true });
  });
});

test('cancel_works ends what is below, asks what runs to stop, and records a decision for each with who it was', async () => {
  const submitter = openPostgres(await createLogin(target.connectionString, 'animus_submitter', logins), {
    poolSize: 1,
  });
  const [{ id: theirs }] = (await submitter.query(`select id from animus.submit_work('engineer')`)) as [{ id: string }];
  const running = (await claimOne(target.database)).id;
  const parent = await insertWork(target.database);
  const child = await insertWork(target.database, { parent_id: parent });
  const below = await insertWork(target.database, { parent_id: child });
  const other = await insertWork(target.database);
  expect(running).toBe(theirs);
  const ids = [running, parent, parent, other];
  expect(
    new Map(
      (
        await target.database.query<{ id: string; state: string }>('select * from animus.cancel_works($1::uuid[])', [
          ids,
        ])
      ).map(({ id, state }) => [id, state]),
    ),
  ).toEqual(
    new Map([
      [running, 'claimed'],
      [parent, 'cancelled'],
      [other, 'cancelled'],
    ]),
  );
  expect(
    await target.database.query(
      `select w.id, state, cancel_reason from animus.work_items w where w.id = any ($1::uuid[]) order by w.id`,
      [[running, parent, child, below, other]],
    ),
  ).toEqual([
    { id: running, state: 'claimed', cancel_reason: 'cancelled by an operator' },
    ...[parent, child, below, other].map((id) => ({
      id,
      state: 'cancelled',
      cancel_reason: 'cancelled by its submitter',
    })),
  ]);
  expect(
    await target.database.query(
      `select work_item_id as id, count(*)::int as n from animus.decisions where action = 'cancel' and work_item_id = any ($1::uuid[]) group by 1 order by 1`,
      [[running, parent, child, below, other]],
    ),
  ).toEqual([running, parent, other].map((id) => ({ id, n: 1 })));
  await submitter.close();
});

test('cancel_works changes nothing if one of the items is locked, unknown, or of somebody else', async () => {
  const submitter = openPostgres(await createLogin(target.connectionString, 'animus_submitter', logins), {
    poolSize: 1,
  });
  const [own] = await submitter.query<{ id: string }>(`select id from animus.submit_work('engineer')`);
  const foreign = await insertWork(target.database);
  const cancel = (db: Queryable, ...ids: string[]) => codeOf(db.query('select animus.cancel_works($1::uuid[])', [ids]));
  expect(await cancel(submitter, own!.id, foreign)).toBe('work.not_found');
  expect(await cancel(target.database, own!.id, randomUUID())).toBe('work.not_found');
  const stranger = await openTransaction(target.database, async (tx) => {
    await tx.query('select from animus.work_items where id = $1 for update', [foreign]);
  });
  try {
    expect(await cancel(target.database, own!.id, foreign)).toBe('work.locked');
  } finally {
    await stranger.end('commit');
  }
  expect(await target.database.query('select distinct state from animus.work_items')).toEqual([{ state: 'queued' }]);
  expect(await target.database.query('select * from animus.cancel_works($1::uuid[])', [[]])).toEqual([]);
  expect(await submitter.query('select state from animus.cancel_works($1::uuid[])', [[own!.id]])).toEqual([
    { state: 'cancelled' },
  ]);
  await submitter.close();
});

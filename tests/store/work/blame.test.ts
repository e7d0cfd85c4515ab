/** Promise: blame for a claim that fails is put where it belongs: on an item, a faculty or on nobody; and it is told to nobody who may not know. */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { readKeptFaults } from '../../../src/store/work/claimed/claim-faults.ts';
import { testDatabase } from '../../support/database.ts';
import { claim, emptyQueue, faculties, insertWork, openTransaction, untilBlocked } from './queue-driver.ts';
import { makeRefusals, refusalsOf } from './refused-rows.ts';

const target = testDatabase();
const { refuse, round } = refusalsOf(target);
beforeAll(() => makeRefusals(target.database));
// Also of an earlier try.
beforeEach(async () => {
  await target.database.query(
    'delete from public.refusals; delete from animus.claim_faults; delete from animus.faculty_faults',
  );
  await emptyQueue(target.database);
});

test('a faculty of which every item is refused is left out as a whole, and the others are claimed', async () => {
  for (let n = 0; n < 50; n++) await insertWork(target.database, { faculty: 'accountant', description: 'bad' });
  const due = await insertWork(target.database, { faculty: 'accountant', description: 'bad', run_at: '2099-01-01' });
  await target.database.query('update animus.work_items set run_at = animus.now() where id = $1', [due]);
  const good = await insertWork(target.database, { description: 'good' });
  await refuse('bad');
  const both = faculties('engineer', 'accountant');
  const { fault } = await round(3, both);
  expect(fault).toEqual({
    reach: 'some',
    items: [],
    faculties: [expect.objectContaining({ faculty: 'accountant', message: 'the application refuses bad' })],
  });
  // Of all daemons, also with the items that are due, and until something of it is claimed again.
  expect(await round(3, both)).toMatchObject({ claimed: [good], fault: null });
  expect(await readKeptFaults(target.database)).toMatchObject([
    { work_item_id: null, faculty: 'accountant', failures: 1, sqlstate: 'P0001' },
  ]);
  await target.database.query(
    `insert into animus.daemons (id, faculties, max_concurrent, host, pid, version, started_at, seen_at) values (gen_random_uuid(), '{"accountant": {"max": 9}}', 9, 'h', 1, '0', animus.now(), animus.now())`,
  );
  expect(
    await target.database.query(
      `select why, animus.status() #> '{daemons,0,problems}' as problems from animus.why_waiting(array[$1::uuid])`,
      [due],
    ),
  ).toEqual([
    {
      why: 'claims fail on all work of accountant, once so far (SQLSTATE P0001)',
      problems: ['nothing of accountant can be claimed (SQLSTATE P0001)'],
    },
  ]);
  await target.database.query(`delete from public.refusals; update animus.faculty_faults set until = animus.now()`);
  expect((await round(3, both)).claimed).toHaveLength(3);
  expect(await readKeptFaults(target.database)).toEqual([]);
});

test('a faculty of which every due item is refused costs one failed claim, however many they are', async () => {
  for (let n = 0; n < 50; n++)
    await insertWork(target.database, { faculty: 'accountant', description: 'bad', run_at: '2099-01-01' });
  await target.database.query('update animus.work_items set run_at = animus.now()');
  const good = await insertWork(target.database, { description: 'good' });
  await refuse('bad');
  const { fault } = await round(3);
  expect(fault).toMatchObject({
    reach: 'some',
    items: [],
    faculties: [{ faculty: 'accountant', failures: 1 }],
  });
  expect(await round(3)).toMatchObject({ claimed: [good], fault: null });
});

test('a faculty of which one passes is not left out, whatever fails of it', async () => {
  const good = await insertWork(target.database, { faculty: 'accountant', description: 'good', priority: -1 });
  for (let n = 0; n < 3; n++) await insertWork(target.database, { faculty: 'accountant', description: 'bad' });
  const other = await insertWork(target.database, { description: 'good' });
  await refuse('bad');
  const both = faculties('engineer', 'accountant');
  const { fault } = await round(2, both);
  expect(fault).toMatchObject({ reach: 'some', faculties: [] });
  expect((await round(2, both)).claimed.toSorted()).toEqual([good, other].toSorted());
});

test('others claim while it is looked for what made a claim fail', async () => {
  for (let n = 0; n < 3; n++) await insertWork(target.database, { faculty: 'accountant', description: 'bad' });
  const good = await insertWork(target.database, { description: 'good' });
  await refuse('bad', 'P0077');
  const db = target.database;
  // It stops between two items, once it has seen the error of one.
  await db.query(`
    alter function animus.error_reach(text) rename to real_error_reach;
    create function animus.error_reach(p_sqlstate text) returns text language plpgsql as $$
    begin if p_sqlstate = 'P0077' then perform pg_advisory_xact_lock_shared(77); end if; return animus.real_error_reach(p_sqlstate); end $$`);
  onTestFinished(async () => {
    await db.query(
      `drop function animus.error_reach(text); alter function animus.real_error_reach(text) rename to error_reach`,
    );
  });
  const hold = await openTransaction(db, async (tx) => void (await tx.query('select pg_advisory_xact_lock(77)')));
  const looking = db.query(`select reach from animus.find_faults($1, $2::jsonb, 3, 'P0001')`, [
    randomUUID(),
    JSON.stringify(faculties('accountant')),
  ]);
  await untilBlocked(db);
  const claiming = db.transaction(async (tx) => {
    await tx.query(`set local lock_timeout = '2s'`);
    return claim(tx);
  });
  const claimed = await hold.endAfter(claiming, 'commit');
  expect(claimed).toMatchObject([{ id: good }]);
  expect(await looking).toEqual([{ reach: 'everything' }]);
});

test('what cannot be tried is not proof that others are to blame: a fault of all rows leaves none out', async () => {
  await insertWork(target.database, { description: 'bad' });
  await insertWork(target.database, { description: 'bad' });
  const locked = await insertWork(target.database, { description: 'bad' });
  await refuse('bad');
  const open = await openTransaction(target.database, async (tx) => {
    await tx.query('select from animus.work_items where id = $1 for update', [locked]);
  });
  const { fault } = await open.endAfter(round(), 'rollback');
  expect(fault).toEqual({ reach: 'everything' });
  expect(await readKeptFaults(target.database)).toEqual([]);
});

test('who may only submit learns of no faults of others, and who asks what is unclaimed keeps it from nobody', async () => {
  const rights = await target.database.query(
    `select r as role from unnest(animus.roles()) r where has_table_privilege(r, 'animus.claim_faults', 'select') order by 1`,
  );
  expect(rights).toEqual(['animus_daemon', 'animus_operator', 'animus_reader'].map((role) => ({ role })));
  const id = await insertWork(target.database);
  await target.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(`update animus.work_items set created_at = created_at - interval '1 hour' where id = $1`, [id]);
  });
  await target.database.query(
    `insert into animus.daemons (id, faculties, max_concurrent, host, pid, version, started_at, seen_at) values (gen_random_uuid(), '{"engineer": {}}', 2, 'h', 1, '0', animus.now(), animus.now())`,
  );
  const asked = await openTransaction(target.database, async (tx) => {
    expect(await tx.query('select items, locked from animus.unclaimed_work()')).toEqual([{ items: 1, locked: false }]);
  });
  const { claimed } = await asked.endAfter(round(), 'commit');
  expect(claimed).toEqual([id]);
});

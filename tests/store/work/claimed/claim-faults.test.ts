/** Promise: an item on which claims fail is found, left out and named, and all other work goes on. */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openWait, parkWork, resolveDueWaits } from '../../../../src/store/transcript/waits.ts';
import { readKeptFaults } from '../../../../src/store/work/claimed/claim-faults.ts';
import { renewLeases } from '../../../../src/store/work/claimed/leases.ts';
import { beginFocus, recordCalls } from '../../../support/begun-focus.ts';
import { type DatabaseClock, fakeDatabaseClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { claim, DAEMON, emptyQueue, faculties, insertWork, LEASE_SECONDS, openTransaction } from '../queue-driver.ts';
import { makeRefusals, refusalsOf } from '../refused-rows.ts';

const target = testDatabase();
let clock: DatabaseClock;
beforeAll(async () => {
  clock = await fakeDatabaseClock(target.database);
  await makeRefusals(target.database);
});
// Also of an earlier try.
beforeEach(async () => {
  await target.database.query(
    `delete from public.refusals; delete from animus.claim_faults; delete from animus.faculty_faults;
     alter table animus.work_items drop constraint if exists positive; drop trigger if exists refuse_late on animus.work_items`,
  );
  await emptyQueue(target.database);
});

const { refuse, round } = refusalsOf(target);

test('one row that cannot be changed is left out and named, and the others are claimed', async () => {
  const good = await insertWork(target.database, { description: 'good' });
  const bad = await insertWork(target.database, { description: 'bad' });
  const last = await insertWork(target.database, { description: 'last' });
  await refuse('bad');
  const first = await round();
  expect(first.fault).toEqual({
    reach: 'some',
    items: [
      expect.objectContaining({
        workItemId: bad,
        faculty: 'engineer',
        message: 'the application refuses bad',
        failures: 1,
        leftSeconds: 10,
      }),
    ],
    faculties: [],
  });
  // Nothing of the search is left.
  const rows = await target.database.query(`select distinct state, attempts, lease_token from animus.work_items`);
  expect(rows).toEqual([{ state: 'queued', attempts: 0, lease_token: null }]);
  expect((await round()).claimed).toEqual([good, last]);
  expect(await readKeptFaults(target.database)).toMatchObject([{ work_item_id: bad, failures: 1, sqlstate: 'P0001' }]);
});

test('it is tried again after a pause that grows, and claimed once its row can be changed', async () => {
  const bad = await insertWork(target.database, { description: 'bad' });
  await insertWork(target.database, { description: 'good' });
  await refuse('bad');
  const pauses: number[] = [];
  for (let n = 0; n < 11; n++) {
    const { fault } = await round();
    const found = fault?.reach === 'some' ? fault.items[0]! : null;
    pauses.push(found?.leftSeconds ?? -1);
    expect((await round(1)).fault).toBeNull();
    await clock.advance(found?.leftSeconds ?? 0);
    await insertWork(target.database, { description: 'good' });
  }
  expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
  await target.database.query('delete from public.refusals');
  expect((await round()).claimed).toContain(bad);
  expect(await readKeptFaults(target.database)).toEqual([]);
});

test.each([
  ['is due', { run_at: '2099-01-01' }, `update animus.work_items set run_at = animus.now() where id = $1`],
  [
    'has the key that became free',
    { concurrency_key: 'k' },
    `with w as (update animus.work_items set key_blocked = true where id = $1) insert into animus.freed_keys values ('k')`,
  ],
  [
    'has an expired lease',
    {},
    `update animus.work_items set state = 'claimed', lease_owner = gen_random_uuid(), lease_token = 1, lease_expires_at = animus.now() - interval '1 hour' where id = $1`,
  ],
  ['is suspected', {}, `update animus.work_items set suspect_of = gen_random_uuid() where id = $1`],
])('one that %s does not stop the others either', async (_what, insert, before) => {
  const bad = await insertWork(target.database, { description: 'bad', ...insert });
  await target.database.query(before, [bad]);
  const good = await insertWork(target.database);
  await refuse('bad');
  const found = await round(10, faculties(['engineer', { suspects: true, batches: true, budgets: true }]));
  expect(found.fault).toMatchObject({ reach: 'some', items: [{ workItemId: bad }] });
  expect((await round()).claimed).toEqual([good]);
});

test('a check of an application that a row breaks is found, too, also one at the commit', async () => {
  const bad = await insertWork(target.database, { priority: -7 });
  const good = await insertWork(target.database);
  await target.database.query(`alter table animus.work_items add constraint positive check (priority >= 0) not valid`);
  await target.database.query(`
    create or replace function public.refuse_late() returns trigger language plpgsql as $$ begin raise exception 'late'; end $$;
    create constraint trigger refuse_late after update on animus.work_items deferrable initially deferred for each row
      when (new.description = 'late') execute function public.refuse_late()`);
  const late = await insertWork(target.database, { description: 'late' });
  const { fault } = await round();
  expect(fault).toMatchObject({ reach: 'some', items: [{ workItemId: bad }, { workItemId: late, message: 'late' }] });
  expect((await round()).claimed).toEqual([good]);
});

test('a faculty whose queue cannot be read does not stop the others', async () => {
  await target.database.query(`
    alter function animus.has_budget(uuid, text) rename to real_has_budget;
    create function animus.has_budget(p_id uuid, p_faculty text) returns boolean language plpgsql as $$
    begin if p_faculty = 'broken' then raise exception 'no account of broken'; end if; return animus.real_has_budget(p_id, p_faculty); end $$`);
  try {
    await insertWork(target.database, { faculty: 'broken' });
    const good = await insertWork(target.database);
    const { fault } = await round(10, faculties('engineer', 'broken'));
    expect(fault).toMatchObject({
      reach: 'some',
      items: [],
      faculties: [{ faculty: 'broken', message: 'no account of broken' }],
    });
    expect((await round(10, faculties('engineer'))).claimed).toEqual([good]);
  } finally {
    await target.database.query(
      `drop function animus.has_budget(uuid, text); alter function animus.real_has_budget(uuid, text) rename to has_budget`,
    );
  }
});

test.each(['40P01', '40001', '55P03', '53200', '57014', '25006'])(
  '%s passes by itself: no item is to blame',
  async (sqlstate) => {
    await insertWork(target.database, { description: 'bad' });
    await insertWork(target.database);
    await refuse('bad', sqlstate);
    const { fault, error } = await round();
    expect(error).toBeDefined();
    expect(fault).toEqual({ reach: 'nothing' });
    expect(await readKeptFaults(target.database)).toEqual([]);
  },
);

test('an error of everything is nobody’s: all items stay as they are', async () => {
  for (const description of ['bad', 'bad', 'bad']) await insertWork(target.database, { description });
  await refuse('bad');
  expect((await round()).fault).toEqual({ reach: 'everything' });
  // Of one item alone, its class decides.
  await emptyQueue(target.database);
  await insertWork(target.database, { description: 'worse' });
  await refuse('worse', '42P01');
  expect((await round()).fault).toEqual({ reach: 'everything' });
  expect(await readKeptFaults(target.database)).toEqual([]);
});

test('an item that another transaction has locked is not a fault', async () => {
  const bad = await insertWork(target.database, { description: 'bad' });
  const locked = await insertWork(target.database);
  await insertWork(target.database);
  await refuse('bad');
  const open = await openTransaction(target.database, async (tx) => {
    await tx.query('select from animus.work_items where id = $1 for update', [locked]);
  });
  const { fault } = await open.endAfter(round(), 'rollback');
  expect(fault).toMatchObject({ reach: 'some', items: [{ workItemId: bad }] });
});

test('one row that cannot be changed does not end the leases of the other items of its daemon', async () => {
  const ids = [await insertWork(target.database, { description: 'bad' }), await insertWork(target.database)];
  const [bad, good] = await claim(target.database, 2);
  expect([bad!.id, good!.id]).toEqual(ids);
  await refuse('bad');
  await clock.advance(LEASE_SECONDS / 2);
  const renewals = await renewLeases(target.database, DAEMON, [bad!, good!], LEASE_SECONDS);
  expect(renewals).toEqual([
    { workItemId: good!.id, held: true, cancelRequested: false, seconds: LEASE_SECONDS },
    expect.objectContaining({
      workItemId: bad!.id,
      held: true,
      seconds: LEASE_SECONDS / 2,
      refused: 'the application refuses bad',
    }),
  ]);
  await expect(renewLeases(target.database, DAEMON, [bad!], LEASE_SECONDS)).rejects.toThrow(
    'the application refuses bad',
  );
});

test('one wait that cannot be ended does not stop the timers of others, and is not polled without a pause', async () => {
  const [bad, good] = [await insertWork(target.database, { description: 'bad' }), await insertWork(target.database)];
  for (const id of [bad, good]) {
    const work = await beginFocus(target.database, { id });
    await recordCalls(target.database, work, 1, ['t1']);
    await openWait(target.database, work.key, 1, 't1', { kind: 'timer', deadline: new Date(0) });
    expect(await parkWork(target.database, work)).toBe('waiting');
  }
  await refuse('bad');
  expect(await resolveDueWaits(target.database, 10)).toEqual({
    resolved: 1,
    nextDueMs: null,
    faults: [expect.objectContaining({ workItemId: bad, message: 'the application refuses bad' })],
  });
  expect(await readKeptFaults(target.database)).toMatchObject([{ work_item_id: bad }]);
  expect((await claim(target.database, 10)).map(({ id }) => id)).toEqual([good]);
});

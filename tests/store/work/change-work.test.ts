/** The promise: what has not begun can be changed by who may, exactly as it was seen, and the queue follows. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { changeWork } from '../../../src/store/work/operate.ts';
import { failWork } from '../../../src/store/work/work.ts';
import { type DatabaseClock, fakeDatabaseClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import {
  claim,
  claimOne,
  codeOf,
  emptyQueue,
  insertWork,
  openTransaction,
  startFocus,
  stateOf,
} from './queue-driver.ts';

const target = testDatabase();
const logins: string[] = [];
let clock: DatabaseClock;
beforeAll(async () => {
  clock = await fakeDatabaseClock(target.database);
});
beforeEach(() => emptyQueue(target.database));
afterAll(() => dropLogins(logins));

const later = async (seconds: number) => {
  const [row] = await target.database.query<{ at: Date }>('select animus.now() + make_interval(secs => $1) as at', [
    seconds,
  ]);
  return row!.at;
};
const messageAt = async (id: string) => {
  const [row] = await target.database.query<{ vt: Date }>(
    'select m.vt from pgmq.q_animus_work m join animus.work_items w on w.queue_msg_id = m.msg_id where w.id = $1',
    [id],
  );
  return row!.vt;
};
const decisions = (id: string) =>
  target.database.query(`select action, note from animus.decisions where work_item_id = $1 order by id`, [id]);

test('a higher priority is claimed first', async () => {
  const [first, second] = [await insertWork(target.database), await insertWork(target.database)];
  await changeWork(target.database, second, { priority: 5 });
  expect((await claimOne(target.database)).id).toBe(second);
  expect((await claimOne(target.database)).id).toBe(first);
  expect(await decisions(second)).toEqual([{ action: 'change', note: 'priority 5' }]);
});

test('queued work is postponed with its message, runs when its time has come, and can be called back', async () => {
  const [id, other] = [await insertWork(target.database), await insertWork(target.database)];
  expect(await changeWork(target.database, id, { runAt: await later(3600) })).toMatchObject({ state: 'scheduled' });
  expect(await messageAt(id)).toEqual(await later(3600));
  await changeWork(target.database, other, { runAt: await later(3600) });
  expect(await claim(target.database, 5)).toEqual([]);
  expect(await changeWork(target.database, other, { runAt: await later(-5) })).toMatchObject({ state: 'queued' });
  expect((await claim(target.database, 5)).map((work) => work.id)).toEqual([other]);
  await clock.advance(3601);
  // The lease of the other one has expired, too.
  expect((await claim(target.database, 5)).map((work) => work.id).toSorted()).toEqual([id, other].toSorted());
});

test('an attempt that would come later comes now', async () => {
  const id = await insertWork(target.database);
  const work = await claimOne(target.database);
  await startFocus(target.database, work);
  await failWork(target.database, work, { code: 'work.failed', message: 'broken' }, 3600);
  expect(await stateOf(target.database, id)).toBe('scheduled');
  await changeWork(target.database, id, { runAt: await later(0) });
  expect((await claimOne(target.database)).id).toBe(id);
});

test('only operators bring a later attempt forward, and nobody while commands of a lost daemon may still run', async () => {
  const submitter = openPostgres(await createLogin(target.connectionString, 'animus_submitter', logins), {
    poolSize: 1,
  });
  try {
    const [own] = await submitter.query<{ id: string }>(`select id from animus.submit_work('engineer')`);
    const work = await claimOne(target.database);
    await startFocus(target.database, work);
    await failWork(target.database, work, { code: 'work.failed', message: 'broken' }, 3600);
    expect(await codeOf(changeWork(submitter, own!.id, { runAt: await later(0) }))).toBe('db.forbidden');
    expect(await changeWork(submitter, own!.id, { runAt: await later(7200) })).toMatchObject({ state: 'scheduled' });
    await target.database.query('update animus.work_items set suspect_of = gen_random_uuid() where id = $1', [own!.id]);
    expect(await codeOf(changeWork(target.database, own!.id, { runAt: await later(0) }))).toBe('work.state');
    expect(await stateOf(target.database, own!.id)).toBe('scheduled');
  } finally {
    await submitter.close();
  }
});

test('work that is called for a time in the past waits from now on', async () => {
  const id = await insertWork(target.database, { run_at: '2099-01-01' });
  await changeWork(target.database, id, { runAt: new Date('2020-01-01') });
  const [row] = await target.database.query(
    'select run_at = animus.now() as now from animus.work_items where id = $1',
    [id],
  );
  expect(row).toEqual({ now: true });
});

test('work that waits for a concurrency key leaves the line when it is postponed, and gives the key to the next', async () => {
  const [holder, second, third] = [1, 2, 3].map(() => insertWork(target.database, { concurrency_key: 'k' }));
  await Promise.all([holder, second, third]);
  const held = await claimOne(target.database);
  expect(await claim(target.database, 5)).toEqual([]);
  const waiting = (await Promise.all([holder, second, third])).filter((id) => id !== held.id);
  await changeWork(target.database, waiting[0]!, { runAt: await later(3600) });
  await target.database.query(`select animus.complete_work($1, $2, '{}')`, [held.id, held.leaseToken]);
  expect((await claim(target.database, 5)).map((work) => work.id)).toEqual([waiting[1]]);
});

test('a description is changed before the first focus, and never after', async () => {
  const id = await insertWork(target.database, { description: 'old' });
  await changeWork(target.database, id, { description: 'new «words» \u{1f600}' });
  const work = await claimOne(target.database);
  expect(work.description).toBe('new «words» \u{1f600}');
  expect(await decisions(id)).toEqual([{ action: 'change', note: 'its description was: old' }]);
  await startFocus(target.database, work);
  await target.database.query('select animus.release_work($1, $2)', [work.id, work.leaseToken]);
  await expect(changeWork(target.database, id, { description: 'newer' })).rejects.toThrow('has begun before');
  expect(await changeWork(target.database, id, { priority: 1 })).toMatchObject({ state: 'queued' });
});

test('what was not seen is not changed', async () => {
  const id = await insertWork(target.database);
  const { updated_at: seen } = await changeWork(target.database, id, { priority: 1 });
  await clock.advance(1);
  await changeWork(target.database, id, { priority: 2, seen });
  await expect(changeWork(target.database, id, { priority: 3, seen })).rejects.toMatchObject({
    code: 'work.state',
    message: expect.stringContaining('has changed since it was read'),
  });
  const [row] = await target.database.query('select priority from animus.work_items where id = $1', [id]);
  expect(row).toEqual({ priority: 2 });
});

test('only queued and scheduled work can be changed, and an answer of a conversation keeps its turn', async () => {
  const id = await insertWork(target.database);
  expect(await codeOf(changeWork(target.database, id, {}))).toBe('work.invalid');
  expect(await codeOf(target.database.query(`select animus.change_work($1, p_run_at => 'infinity')`, [id]))).toBe(
    'work.invalid',
  );
  await target.database.query(`update animus.work_items set source = 'chat' where id = $1`, [id]);
  expect(await codeOf(changeWork(target.database, id, { runAt: await later(60) }))).toBe('work.state');
  expect(await changeWork(target.database, id, { priority: 9 })).toMatchObject({ state: 'queued' });
  await claimOne(target.database);
  expect(await codeOf(changeWork(target.database, id, { priority: 2 }))).toBe('work.state');
  expect(await codeOf(changeWork(target.database, crypto.randomUUID(), { priority: 2 }))).toBe('work.not_found');
});

test('submitters change their own work, leave no decision, and learn nothing of that of others', async () => {
  const [submitter, reader] = await Promise.all(
    (['animus_submitter', 'animus_reader'] as const).map(async (role) =>
      openPostgres(await createLogin(target.connectionString, role, logins), { poolSize: 1 }),
    ),
  );
  try {
    const [own] = await submitter!.query<{ id: string }>(`select id from animus.submit_work('engineer')`);
    const other = await insertWork(target.database);
    expect(await changeWork(submitter!, own!.id, { priority: 3 })).toMatchObject({ state: 'queued' });
    expect(await decisions(own!.id)).toEqual([]);
    expect(await codeOf(changeWork(submitter!, other, { priority: 3 }))).toBe('work.not_found');
    expect(await codeOf(changeWork(reader!, other, { priority: 3 }))).toBe('db.forbidden');
  } finally {
    await submitter!.close();
    await reader!.close();
  }
});

test('of a claim and a change at the same time, one waits for the other', async () => {
  const id = await insertWork(target.database);
  const open = await openTransaction(target.database, async (tx) => {
    await tx.query('select from animus.work_items where id = $1 for no key update', [id]);
  });
  expect(await claim(target.database)).toEqual([]);
  expect(await open.endAfter(codeOf(changeWork(target.database, id, { priority: 1 })), 'rollback')).toBe('work.locked');
  await Promise.all([racing(target.database, id), claim(target.database)]);
  expect(['claimed', 'scheduled', 'queued']).toContain(await stateOf(target.database, id));
  const [row] = await target.database.query<{ messages: number }>(
    `select count(*)::int as messages from pgmq.q_animus_work where message ->> 'work_item_id' = $1`,
    [id],
  );
  expect(row).toEqual({ messages: 1 });
});

/** Postpones it, unless it was claimed first. */
async function racing(db: Database, id: string): Promise<void> {
  const change = changeWork(db, id, { runAt: await later(60) });
  await change.catch((error: unknown) => expect(error).toMatchObject({ code: 'work.state' }));
}

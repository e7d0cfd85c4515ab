import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { completeWork, endCancelled, failWork } from '../../../src/store/work/work.ts';
import { type DatabaseClock, fakeDatabaseClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import {
  claim,
  claimOne,
  codeOf,
  DAEMON,
  emptyQueue,
  faculties,
  insertWork,
  openTransaction,
  readWork,
  startFocus,
  stateOf,
  untilBlocked,
} from './queue-driver.ts';

const target = testDatabase();
let clock: DatabaseClock;
beforeAll(async () => {
  clock = await fakeDatabaseClock(target.database);
});
beforeEach(() => emptyQueue(target.database));

const cancel = (id: string) => target.database.query('select animus.cancel_work($1, $2)', [id, 'not needed']);
const retry = async (id: string) => {
  const [row] = await target.database.query<{ id: string }>('select animus.retry_work($1) as id', [id]);
  return row!.id;
};

describe('cancel_work', () => {
  test('ends queued and scheduled work at once, with its message, its key and the reason', async () => {
    for (const run_at of [null, '2099-01-01']) {
      const id = await insertWork(target.database, { dedup_key: 'k', run_at });
      await cancel(id);
      expect(await readWork(target.database, id)).toMatchObject({
        state: 'cancelled',
        cancel_reason: 'not needed',
        error: { code: 'work.cancelled' },
        messages: 0,
        archived: 1,
        keys: 0,
      });
    }
  });

  test('includes the whole tree, even below ended items: queued items at once, running ones by request', async () => {
    const root = await insertWork(target.database);
    const [work] = await claim(target.database);
    const ended = await insertWork(target.database, { parent_id: root });
    const endedWork = await claimOne(target.database);
    const below = await insertWork(target.database, { parent_id: ended });
    await completeWork(target.database, endedWork, {}, null);
    const running = await insertWork(target.database, { parent_id: root, faculty: 'writer' });
    const runningWork = await claimOne(target.database, faculties('writer'));
    const leaf = await insertWork(target.database, { parent_id: running });
    await cancel(root);
    expect(await readWork(target.database, root)).toMatchObject({
      state: 'claimed',
      cancel_requested_at: expect.any(Date),
    });
    expect(await readWork(target.database, running)).toMatchObject({
      state: 'claimed',
      cancel_requested_at: expect.any(Date),
    });
    expect(await stateOf(target.database, ended)).toBe('completed');
    expect(await stateOf(target.database, below)).toBe('cancelled');
    expect(await stateOf(target.database, leaf)).toBe('cancelled');
    await endCancelled(target.database, work!);
    await endCancelled(target.database, runningWork);
    expect(await stateOf(target.database, root)).toBe('cancelled');
  });

  test('of ended work changes nothing; of unknown work it is refused', async () => {
    const work = await claimWork();
    await completeWork(target.database, work, {}, null);
    const before = await readWork(target.database, work.id);
    expect(await cancel(work.id)).toEqual([{ cancel_work: 'completed' }]);
    expect(await readWork(target.database, work.id)).toEqual(before);
    expect(await codeOf(cancel(DAEMON))).toBe('work.not_found');
  });

  test('includes a child that is being inserted under the parent’s lock', async () => {
    const work = await claimWork();
    let child = '';
    const open = await openTransaction(target.database, async (tx) => {
      await tx.query('select animus.append_ledger($1, $2, $3, $4)', [work.id, 'note', 'spawning', work.leaseToken]);
      child = await insertWork(tx, { parent_id: work.id });
    });
    const cancelling = cancel(work.id);
    await untilBlocked(target.database);
    await open.end('commit');
    await cancelling;
    expect(await stateOf(target.database, child)).toBe('cancelled');
  });

  test('against a claim: one of the two wins, and the row is consistent', async () => {
    const pool = target.open({ poolSize: 8 });
    for (let round = 0; round < 15; round++) {
      const id = await insertWork(target.database);
      const [claimed] = await Promise.all([claim(pool, 1), pool.query('select animus.cancel_work($1)', [id])]);
      const row = await readWork(target.database, id);
      if (row.state === 'cancelled') expect(claimed).toEqual([]);
      else {
        expect(row).toMatchObject({ state: 'claimed', cancel_requested_at: expect.any(Date) });
        await endCancelled(target.database, claimed[0]!);
      }
    }
  });

  test('of trees at the same time as heartbeats, ends and claims causes no deadlock', async () => {
    const pool = target.open({ poolSize: 12 });
    for (let round = 0; round < 8; round++) {
      const root = await insertWork(target.database, { concurrency_key: 'a' });
      const middle = await insertWork(target.database, { parent_id: root, concurrency_key: 'b' });
      for (let n = 0; n < 6; n++)
        await insertWork(target.database, { parent_id: n % 2 ? root : middle, concurrency_key: n % 3 ? 'a' : null });
      const work = await claim(target.database, 5);
      const ids = work.map((one) => one.id);
      const tokens = work.map((one) => one.leaseToken);
      const beat = () =>
        pool.query(`select * from animus.extend_leases($1, $2, $3, '1 minute')`, [
          DAEMON,
          ids.toReversed(),
          tokens.toReversed(),
        ]);
      await Promise.all([
        beat(),
        beat(),
        claim(pool, 5),
        claim(pool, 5),
        pool.query('select animus.cancel_work($1)', [middle]),
        pool.query('select animus.cancel_work($1)', [root]),
        pool.query(`select * from animus.complete_batch($1, $2, array_fill('{}'::jsonb, array[$3::int]))`, [
          ids,
          tokens,
          ids.length,
        ]),
      ]);
      await emptyQueue(target.database);
    }
  });
});

describe('retry_work', () => {
  test('queues dead and cancelled work again: all attempts, a new message, its key taken again', async () => {
    const id = await insertWork(target.database, { dedup_key: 'k' });
    const work = await claimOne(target.database);
    await startFocus(target.database, work);
    await failWork(target.database, work, { code: 'x', message: 'x' }, null);
    expect(await retry(id)).toBe(id);
    expect(await readWork(target.database, id)).toMatchObject({
      state: 'queued',
      attempts: 0,
      error: null,
      messages: 1,
      archived: 1,
      keys: 1,
    });
    const again = await claimOne(target.database);
    await startFocus(target.database, again);
    await completeWork(target.database, again, {}, null);
    const decisions = await target.database.query('select action, work_item_id from animus.decisions');
    expect(decisions).toEqual([{ action: 'retry', work_item_id: id }]);
  });

  test('of an item whose key is active again returns the item that has it', async () => {
    const id = await insertWork(target.database, { dedup_key: 'k' });
    await cancel(id);
    const holder = await insertWork(target.database, { dedup_key: 'k' });
    expect(await retry(id)).toBe(holder);
    expect(await readWork(target.database, id)).toMatchObject({ state: 'cancelled', keys: 0 });
    expect(await readWork(target.database, holder)).toMatchObject({ state: 'queued', keys: 1 });
  });

  test('of any other work is refused', async () => {
    const id = await insertWork(target.database);
    expect(await codeOf(retry(id))).toBe('work.state');
    expect(await codeOf(retry(DAEMON))).toBe('work.not_found');
  });

  test('by two operators at the same time queues it once', async () => {
    const id = await insertWork(target.database);
    await cancel(id);
    const pool = target.open({ poolSize: 4 });
    const answers = await Promise.allSettled([1, 2, 3].map(() => pool.query('select animus.retry_work($1)', [id])));
    expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1);
    expect(await readWork(target.database, id)).toMatchObject({ state: 'queued', messages: 1 });
  });
});

test('a pause with an end time expires by itself', async () => {
  await insertWork(target.database);
  await target.database.query('select animus.pause()');
  await target.database.query(`update animus.pauses set until = animus.now() + interval '10 seconds'`);
  expect(await claim(target.database)).toEqual([]);
  await clock.advance(11);
  expect(await claim(target.database)).toHaveLength(1);
});

async function claimWork() {
  await insertWork(target.database);
  return claimOne(target.database);
}

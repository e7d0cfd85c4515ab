import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { completeBatch } from '../../../src/store/work/claimed/complete-batch.ts';
import {
  type ClaimedWork,
  completeWork,
  endCancelled,
  extendLeases,
  failWork,
  releaseWork,
} from '../../../src/store/work/work.ts';
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
  LEASE_SECONDS,
  openTransaction,
  readWork,
  startFocus,
  stateOf,
} from './queue-driver.ts';

const target = testDatabase();
let clock: DatabaseClock;
beforeAll(async () => {
  clock = await fakeDatabaseClock(target.database);
});
beforeEach(() => emptyQueue(target.database));

const OTHER = randomUUID();
const ERROR = { code: 'focus.ended', message: 'it broke' };

describe('the end of an attempt', () => {
  test('completing twice with the same token changes nothing', async () => {
    const work = await claimWork();
    await completeWork(target.database, work, { answer: 42 }, 'done');
    const first = await readWork(target.database, work.id);
    await completeWork(target.database, work, { answer: 43 }, 'again');
    expect(await readWork(target.database, work.id)).toEqual(first);
    expect(first).toMatchObject({ state: 'completed', outcome: { answer: 42 }, messages: 0, archived: 1, keys: 0 });
  });

  test('a failure is retried at its time, or dead when no attempt is left', async () => {
    let work = await claimWork();
    expect(await failWork(target.database, work, ERROR, 30)).toBe('scheduled');
    expect(await claim(target.database)).toEqual([]);
    await clock.advance(30);
    work = await claimOne(target.database);
    expect(await failWork(target.database, work, ERROR, 0)).toBe('queued');
    work = await claimOne(target.database);
    expect(await failWork(target.database, work, ERROR, 30)).toBe('dead');
    expect(await readWork(target.database, work.id)).toMatchObject({
      attempts: 3,
      error: ERROR,
      messages: 0,
      archived: 1,
    });
  });

  test('a focus that is kept continues in the next attempt; another ends with its error', async () => {
    let work = await claimWork();
    const focus = await startFocus(target.database, work);
    await failWork(target.database, work, ERROR, 0, 'transcript');
    work = await claimOne(target.database);
    expect(await startFocus(target.database, work)).toBe(focus);
    await failWork(target.database, work, ERROR, 0);
    work = await claimOne(target.database);
    expect(await startFocus(target.database, work)).not.toBe(focus);
    const foci = await target.database.query('select number, ended_as, error from animus.foci order by number');
    expect(foci).toEqual([
      { number: 1, ended_as: 'failed', error: ERROR },
      { number: 2, ended_as: null, error: null },
    ]);
  });

  test.each(['release', 'fail', 'end'] as const)('with a requested cancel: %s ends it as cancelled', async (how) => {
    const work = await claimWork();
    await target.database.query('select animus.cancel_work($1, $2)', [work.id, 'enough']);
    expect(await extendLeases(target.database, DAEMON, [work], LEASE_SECONDS)).toMatchObject([
      { held: true, cancelRequested: true },
    ]);
    if (how === 'release') await releaseWork(target.database, work, { delaySeconds: 0, reason: 'x', cause: 'test' });
    else if (how === 'fail') expect(await failWork(target.database, work, ERROR, 10)).toBe('cancelled');
    else await endCancelled(target.database, work);
    expect(await readWork(target.database, work.id)).toMatchObject({
      state: 'cancelled',
      cancel_reason: 'enough',
      messages: 0,
      archived: 1,
    });
  });

  test('without a requested cancel it cannot end as cancelled', async () => {
    const work = await claimWork();
    expect(await codeOf(endCancelled(target.database, work))).toBe('work.state');
  });

  test('the death of a parent cancels its children, its completion does not', async () => {
    for (const [end, child] of [
      ['completed', 'queued'],
      ['dead', 'cancelled'],
    ] as const) {
      const work = await claimWork();
      const spawned = await insertWork(target.database, { parent_id: work.id, faculty: 'writer' });
      if (end === 'completed') await completeWork(target.database, work, {}, null);
      else await failWork(target.database, work, ERROR, null);
      expect(await stateOf(target.database, spawned)).toBe(child);
    }
  });

  test('a take-over does not wait for a locked child of an item that becomes dead', async () => {
    const of = faculties(['engineer', { max_attempts: 1 }], 'free');
    const work = await claimWork(of);
    await startFocus(target.database, work);
    const child = await insertWork(target.database, { parent_id: work.id, faculty: 'writer' });
    const open = await openTransaction(target.database, async (tx) => {
      await tx.query('select from animus.work_items where id = $1 for update', [child]);
    });
    await clock.advance(LEASE_SECONDS + 1);
    await insertWork(target.database, { faculty: 'free' });
    expect(await claim(target.database, 1, of, OTHER)).toMatchObject([{ faculty: 'free' }]);
    await open.end('rollback');
    expect(await claim(target.database, 1, of, OTHER)).toEqual([]);
    expect(await stateOf(target.database, work.id)).toBe('dead');
    expect(await stateOf(target.database, child)).toBe('cancelled');
  });
});

// tests/security/stale-writers.test.ts checks that every function refuses stale writers.
describe('after the lease is lost', () => {
  test('a batch completes the items whose lease is held and reports the others', async () => {
    await target.database.query(`insert into animus.work_items (faculty) select 'engineer' from generate_series(1, 4)`);
    const work = await claim(target.database, 4);
    await clock.advance(LEASE_SECONDS + 1);
    await extendLeases(target.database, DAEMON, work.slice(0, 2), LEASE_SECONDS);
    await claim(target.database, 9, undefined, OTHER);
    const ended = work.map((one) => ({
      id: one.id,
      leaseToken: one.leaseToken,
      outcome: { by: one.id },
      summary: 'done',
    }));
    const answer = ['completed', 'completed', 'lost', 'lost'];
    expect(await completeBatch(target.database, ended)).toEqual(answer);
    expect(await completeBatch(target.database, ended)).toEqual(answer);
    expect(await readWork(target.database, work[0]!.id)).toMatchObject({
      state: 'completed',
      outcome: { by: work[0]!.id },
      messages: 0,
      archived: 1,
    });
    expect(await readWork(target.database, work[3]!.id)).toMatchObject({ state: 'claimed', lease_owner: OTHER });
    expect(await completeBatch(target.database, [])).toEqual([]);
  });
});

async function claimWork(of = faculties('engineer')): Promise<ClaimedWork> {
  await insertWork(target.database);
  return claimOne(target.database, of);
}

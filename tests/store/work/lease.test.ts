import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ClaimedWork, extendLeases, failWork, releaseWork, takeOwnClaims } from '../../../src/store/work/work.ts';
import { type DatabaseClock, fakeDatabaseClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import {
  claim,
  claimOne,
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

describe('a lease', () => {
  test('whose length an earlier version did not record keeps its end when its focus writes', async () => {
    const work = await claimWork();
    await startFocus(target.database, work);
    await target.database.query('update animus.work_items set lease_seconds = null where id = $1', [work.id]);
    await clock.advance(LEASE_SECONDS - 1);
    await target.database.query('select animus.hold_lease($1, $2)', [work.id, work.leaseToken]);
    const [row] = await target.database.query<{ left: number }>(
      `select extract(epoch from lease_expires_at - animus.now())::float8 as left from animus.work_items where id = $1`,
      [work.id],
    );
    expect(row!.left).toBeCloseTo(1, 0);
  });

  test('is extended even if somebody has another item locked; that item is neither extended nor lost', async () => {
    await target.database.query(`insert into animus.work_items (faculty) select 'engineer' from generate_series(1, 3)`);
    const work = await claim(target.database, 3);
    const stuck = work[0]!.id;
    await clock.advance(LEASE_SECONDS - 1);
    // Like an operator's cancel_work in a transaction that is left open.
    const open = await openTransaction(target.database, async (tx) => {
      await tx.query(`select from animus.work_items where id = $1 for update`, [stuck]);
    });
    try {
      expect(await extendLeases(target.database, DAEMON, work, LEASE_SECONDS)).toEqual(
        work.slice(1).map(({ id }) => ({ workItemId: id, held: true, cancelRequested: false })),
      );
      await clock.advance(2);
      // Nobody takes it over despite the lock.
      expect(await claim(target.database, 9, undefined, OTHER)).toEqual([]);
    } finally {
      await open.end('commit');
    }
    const reports = await extendLeases(target.database, DAEMON, work, LEASE_SECONDS);
    expect(reports.map(({ held }) => held)).toEqual([true, true, true]);
  });

  test('that was extended is kept; one that was not is taken over, with the same focus', async () => {
    const [kept, lost] = [await insertWork(target.database), await insertWork(target.database)];
    const work = await claim(target.database, 2);
    const focusId = await startFocus(target.database, work[1]!);
    await clock.advance(LEASE_SECONDS - 1);
    await extendLeases(target.database, DAEMON, [work[0]!], LEASE_SECONDS);
    await clock.advance(2);
    const taken = await claim(target.database, 9, undefined, OTHER);
    expect(taken.map((one) => one.id)).toEqual([lost]);
    expect(await readWork(target.database, lost)).toMatchObject({
      state: 'claimed',
      lease_owner: OTHER,
      attempts: 1,
      crashes: 1,
    });
    expect(await readWork(target.database, kept)).toMatchObject({ state: 'claimed', lease_owner: DAEMON, attempts: 0 });
    expect(await startFocus(target.database, taken[0]!)).toBe(focusId);
    expect(await extendLeases(target.database, DAEMON, work, LEASE_SECONDS)).toEqual([
      { workItemId: kept, held: true, cancelRequested: false },
      { workItemId: lost, held: false, cancelRequested: false },
    ]);
  });

  test('expired and not yet taken over can still be extended', async () => {
    const work = await claimWork();
    await clock.advance(LEASE_SECONDS * 10);
    expect(await extendLeases(target.database, DAEMON, [work], LEASE_SECONDS)).toMatchObject([{ held: true }]);
    expect(await claim(target.database, 9, undefined, OTHER)).toEqual([]);
  });

  test('of a faculty that the claimer does not know is left to other daemons', async () => {
    await claimWork();
    await clock.advance(LEASE_SECONDS + 1);
    expect(await claim(target.database, 9, faculties('writer'), OTHER)).toEqual([]);
  });

  test('is taken over once by racing claimers', async () => {
    await target.database.query(
      `insert into animus.work_items (faculty) select 'engineer' from generate_series(1, 20)`,
    );
    await claim(target.database, 20);
    await clock.advance(LEASE_SECONDS + 1);
    const pool = target.open({ poolSize: 8 });
    const taken = (await Promise.all(Array.from({ length: 8 }, () => claim(pool, 5, undefined, randomUUID())))).flat();
    expect(taken).toHaveLength(20);
    expect(new Set(taken.map((work) => work.id)).size).toBe(20);
  });

  test('whose item was cancelled meanwhile ends there, with its children', async () => {
    const work = await claimWork();
    const child = await insertWork(target.database, { parent_id: work.id });
    await target.database.query('select animus.cancel_work($1, $2)', [work.id, 'not needed']);
    await clock.advance(LEASE_SECONDS + 1);
    expect(await claim(target.database, 9, undefined, OTHER)).toEqual([]);
    expect(await readWork(target.database, work.id)).toMatchObject({
      state: 'cancelled',
      cancel_reason: 'not needed',
      messages: 0,
      archived: 1,
    });
    expect(await stateOf(target.database, child)).toBe('cancelled');
  });
});

describe('lost daemons', () => {
  test('count as attempts, until no attempt is left and the item is dead', async () => {
    let work = await claimWork();
    const { id } = work;
    for (const attempts of [1, 2]) {
      await startFocus(target.database, work);
      work = (await lose())[0]!;
      expect(await readWork(target.database, id)).toMatchObject({ attempts, crashes: attempts });
    }
    await startFocus(target.database, work);
    expect(await lose()).toEqual([]);
    expect(await readWork(target.database, id)).toMatchObject({
      state: 'dead',
      attempts: 3,
      messages: 0,
      archived: 1,
      error: { code: 'work.crashed' },
    });
  });

  test('that never started a focus are counted separately: no attempt, but dead after ten in a row', async () => {
    let work = await claimWork();
    const { id } = work;
    for (let lost = 1; lost <= 9; lost++) work = (await lose())[0]!;
    expect(await readWork(target.database, id)).toMatchObject({ attempts: 0, crashes: 0, unstarted_claims: 9 });
    // A focus that starts resets the count of unstarted claims.
    await startFocus(target.database, work);
    await releaseWork(target.database, work, { delaySeconds: 0, reason: 'drain', cause: 'test' });
    await claimOne(target.database);
    for (let lost = 1; lost <= 9; lost++) await lose();
    expect(await readWork(target.database, id)).toMatchObject({ state: 'claimed', attempts: 0, unstarted_claims: 9 });
    expect(await lose()).toEqual([]);
    expect(await readWork(target.database, id)).toMatchObject({
      state: 'dead',
      attempts: 0,
      messages: 0,
      archived: 1,
      error: { code: 'work.never_started', message: expect.stringContaining('10 times in a row') },
    });
    await target.database.query('select animus.retry_work($1)', [id]);
    expect(await readWork(target.database, id)).toMatchObject({ state: 'queued', unstarted_claims: 0 });
  });

  test('with an unanswered claim get back the items claimed in their name that they do not know, with a full lease', async () => {
    const known = await claimWork();
    const lost = await claimWork();
    const begun = await claimWork();
    await startFocus(target.database, begun);
    await insertWork(target.database);
    await claim(target.database, 1, undefined, OTHER);
    await clock.advance(LEASE_SECONDS - 1);
    const taken = await takeOwnClaims(target.database, DAEMON, [known.id], LEASE_SECONDS);
    expect(taken).toMatchObject([{ id: lost.id, leaseToken: lost.leaseToken }]);
    await clock.advance(2);
    await startFocus(target.database, taken[0]!);
    expect(await takeOwnClaims(target.database, DAEMON, [known.id], LEASE_SECONDS)).toEqual([]);
  });

  test('do not add up while the focus makes progress: only the last crash counts', async () => {
    let work = await claimWork();
    const focusId = await startFocus(target.database, work);
    for (let turn = 1; turn <= 6; turn++) {
      await recordTurn(focusId, work.leaseToken, turn);
      work = (await lose())[0]!;
      expect(await readWork(target.database, work.id)).toMatchObject({ state: 'claimed', attempts: 1, crashes: 1 });
      await startFocus(target.database, work);
    }
    work = (await lose())[0]!;
    expect(await readWork(target.database, work.id)).toMatchObject({ attempts: 2, crashes: 2 });
  });

  test('are added to recorded failures, which no progress removes', async () => {
    const of = faculties(['engineer', { max_attempts: 4 }]);
    let work = await claimWork(of);
    await failWork(target.database, work, ERROR, 0);
    work = await claimOne(target.database, of);
    const focusId = await startFocus(target.database, work);
    await recordTurn(focusId, work.leaseToken, 1);
    work = (await lose(of))[0]!;
    expect(await readWork(target.database, work.id)).toMatchObject({ attempts: 2, crashes: 1 });
    await startFocus(target.database, work);
    work = (await lose(of))[0]!;
    expect(await readWork(target.database, work.id)).toMatchObject({ attempts: 3, crashes: 2 });
  });

  test('are not counted by a release', async () => {
    const work = await claimWork();
    for (let n = 0; n < 5; n++) {
      await releaseWork(target.database, n === 0 ? work : await claimOne(target.database), {
        delaySeconds: 0,
        reason: 'drain',
        cause: 'test',
      });
    }
    expect(await readWork(target.database, work.id)).toMatchObject({
      state: 'queued',
      attempts: 0,
      messages: 1,
      error: { code: 'work.released', cause: 'test', message: 'drain' },
    });
  });
});

/** The daemon is gone, its lease expires, and another one claims. */
async function lose(of = faculties('engineer')): Promise<ClaimedWork[]> {
  await clock.advance(LEASE_SECONDS + 1);
  return claim(target.database, 1, of, randomUUID());
}

async function claimWork(of = faculties('engineer')): Promise<ClaimedWork> {
  await insertWork(target.database);
  return claimOne(target.database, of);
}

async function recordTurn(focusId: string, token: string, turn: number): Promise<void> {
  await target.database.query('select animus.begin_turn($1, $2, $3)', [focusId, token, turn]);
  await target.database.query(`select animus.record_turn($1, $2, $3, '{"content": []}', '[]')`, [focusId, token, turn]);
}

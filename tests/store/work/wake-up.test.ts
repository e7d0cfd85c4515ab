/** No insert is missed: each one either notifies the daemons, or is seen by the claim of a daemon that was full. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { awaitSkipped, claimReadyWork, completeWork } from '../../../src/store/work/work.ts';
import { testDatabase } from '../../support/database.ts';
import { listen } from '../postgres/listener.ts';
import {
  DAEMON,
  emptyQueue,
  faculties,
  insertWork,
  LEASE_SECONDS,
  openTransaction,
  untilBlocked,
} from './queue-driver.ts';

const target = testDatabase();
beforeEach(async () => {
  await emptyQueue(target.database);
  await target.database.query(`select animus.register_daemon($1, 'host', 1, '0', 1, '{}', '[]')`, [DAEMON]);
});

const claim = (db: Queryable = target.database, first = false, limit = 1) =>
  claimReadyWork(db, { daemonId: DAEMON, faculties: faculties('engineer'), limit, leaseSeconds: LEASE_SECONDS, first });

/** Fills the daemon, which has one slot; returns what frees it. */
async function full() {
  const id = await insertWork(target.database);
  const { work, settled } = await claim();
  expect([work.map((one) => one.id), settled]).toEqual([[id], true]);
  return () => completeWork(target.database, work[0]!, {}, null);
}

/** How many notifications the inserts of `work` sent. */
async function notifications(work: () => Promise<unknown>): Promise<number> {
  const listener = await listen(target.database, 'animus_work_ready', 'marker');
  try {
    await work();
    await target.database.query(`select pg_notify('marker', 'end')`);
    await listener.until('marker end');
    return listener.heard.length - 1;
  } finally {
    await listener.stop();
  }
}

describe('an insert while every daemon is full', () => {
  test('sends no notification, and a claim after its commit finds it', async () => {
    const free = await full();
    let id = '';
    expect(await notifications(async () => (id = await insertWork(target.database)))).toBe(0);
    await free();
    expect(await claim()).toMatchObject({ work: [{ id }], settled: true });
  });

  test('that is open when the daemon becomes free is awaited', async () => {
    const free = await full();
    let id = '';
    const insert = await opened(async (tx) => {
      id = await insertWork(tx);
    });
    await free();
    expect(await claim()).toEqual({ work: [], settled: false, paused: [], alone: null });
    expect(await awaitSkipped(target.database)).toBe(false);
    expect(await notifications(() => insert.end('commit'))).toBe(0);
    expect(await awaitSkipped(target.database)).toBe(true);
    expect(await claim()).toMatchObject({ work: [{ id }], settled: true });
  });

  test('that commits during the claim which frees the daemon is found by the last look of that claim', async () => {
    const free = await full();
    await free();
    const gate = await claimsStopAfterTheirFirstPass();
    const claiming = claim();
    await untilBlocked(target.database);
    let id = '';
    expect(await notifications(async () => (id = await insertWork(target.database)))).toBe(0);
    await gate.open();
    expect(await claiming).toMatchObject({ work: [{ id }], settled: true });
  });

  test('notifies if a claim that frees the daemon has had its last look', async () => {
    const free = await full();
    await free();
    const claiming = await opened(async (tx) => {
      expect(await claim(tx)).toEqual({ work: [], settled: true, paused: [], alone: null });
    });
    expect(await notifications(() => insertWork(target.database))).toBe(1);
    await claiming.end('commit');
  });

  test('notifies if the daemon became free before it could say that it sends no notification', async () => {
    const free = await full();
    await free();
    const gate = await insertsStopBeforeTheyTakeTheKey();
    const inserting = notifications(async () => {
      const insert = target.database.transaction(async (tx) => {
        await tx.query(`set local test.stops = 'on'`);
        await insertWork(tx);
      });
      await untilBlocked(target.database);
      expect(await claim()).toEqual({ work: [], settled: true, paused: [], alone: null });
      await gate.open();
      await insert;
    });
    expect(await inserting).toBe(1);
  });

  test.each(['repeatable read', 'serializable'])(
    'notifies in a %s transaction, whose snapshot may be older',
    async (level) => {
      await full();
      const insert = () =>
        target.database.transaction(async (tx) => {
          await tx.query(`set transaction isolation level ${level}`);
          await insertWork(tx);
        });
      expect(await notifications(insert)).toBe(1);
    },
  );
});

test('an insert that saw no daemon is awaited by the first claim of a new one', async () => {
  await target.database.query('delete from animus.daemons');
  let id = '';
  const insert = await opened(async (tx) => {
    id = await insertWork(tx);
  });
  const first = () => claim(target.database, true);
  await target.database.query(`select animus.register_daemon($1, 'host', 1, '0', 1, '{}', '[]')`, [DAEMON]);
  expect(await first()).toEqual({ work: [], settled: false, paused: [], alone: null });
  await insert.end('commit');
  expect(await awaitSkipped(target.database)).toBe(true);
  expect(await first()).toMatchObject({ work: [{ id }] });
});

test('a transaction that has skipped its notification and stays open stops nothing', async () => {
  const free = await full();
  const slow = await opened(async (tx) => {
    await tx.query('select animus.share_skip_turn()');
  });
  const id = await insertWork(target.database);
  await free();
  expect(await claim()).toMatchObject({ work: [{ id }], settled: true });
  await completeWork(target.database, (await claimedOnes())[0]!, {}, null);
  expect(await claim()).toEqual({ work: [], settled: false, paused: [], alone: null });
  expect(await awaitSkipped(target.database)).toBe(false);
  // The daemon is known to be free, so inserts notify it, whoever holds the lock.
  expect(await notifications(() => insertWork(target.database))).toBe(1);
  await slow.end('rollback');
});

function claimedOnes(): Promise<{ id: string; leaseToken: string }[]> {
  return target.database.query(`select id, lease_token as "leaseToken" from animus.work_items where state = 'claimed'`);
}

/** A transaction that the end of the test rolls back at the latest. */
async function opened(work: (tx: Queryable) => Promise<void>) {
  const open = await openTransaction(target.database, work);
  onTestFinished(() => open.end('rollback'));
  return open;
}

/** Makes claims wait after their first pass, until the gate opens. */
function claimsStopAfterTheirFirstPass() {
  return gate(
    `
    alter function animus.claim_look rename to real_claim_look;
    create function animus.claim_look(
      p_daemon_id uuid, p_faculties jsonb, p_limit int, p_lease interval, p_expired boolean, p_ahead int, out claimed uuid[], out alone boolean)
    language plpgsql as $$
    begin
      select l.claimed, l.alone into claimed, alone from animus.real_claim_look(p_daemon_id, p_faculties, p_limit, p_lease, p_expired, p_ahead) l;
      perform pg_advisory_xact_lock(1);
    end $$`,
    'drop function animus.claim_look; alter function animus.real_claim_look rename to claim_look',
  );
}

/** Makes transactions with the setting `test.stops` wait before they take the key of skipped notifications, until the gate opens. */
function insertsStopBeforeTheyTakeTheKey() {
  return gate(
    `
    alter function animus.share_skip_turn rename to real_share_skip_turn;
    create function animus.share_skip_turn() returns boolean language plpgsql security definer as $$
    begin
      if current_setting('test.stops', true) = 'on' then perform pg_advisory_xact_lock(1); end if;
      return animus.real_share_skip_turn();
    end $$`,
    'drop function animus.share_skip_turn; alter function animus.real_share_skip_turn rename to share_skip_turn',
  );
}

/** Replaces a function by one that waits for a lock, which is held until the gate opens; restores it at the end of the test. */
async function gate(replace: string, restore: string) {
  await target.database.query(replace);
  onTestFinished(async () => {
    await target.database.query(restore);
  });
  const held = await opened(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(1)');
  });
  return { open: () => held.end('rollback') };
}

/** A model check: random interleavings of the queue's functions from many connections, with all invariants checked between them. */
import { randomUUID } from 'node:crypto';
import { array, assert, asyncProperty } from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { isAnimusError } from '../../../src/core/errors/errors.ts';
import type { WorkState } from '../../../src/core/work/work.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { openWait, parkWork, resolveDueWaits, resolveWait } from '../../../src/store/transcript/waits.ts';
import { completeBatch } from '../../../src/store/work/claimed/complete-batch.ts';
import { drainInbox } from '../../../src/store/work/inbox.ts';
import {
  type ClaimedWork,
  completeWork,
  endCancelled,
  extendLeases,
  failWork,
  releaseWork,
} from '../../../src/store/work/work.ts';
import { recordCalls } from '../../support/begun-focus.ts';
import { type DatabaseClock, fakeDatabaseClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { claim, emptyQueue, faculties, insertWork, LEASE_SECONDS, startFocus } from './queue-driver.ts';
import { expectRules, KEPT_SECONDS, noteEvents, OPEN } from './queue-rules.ts';
import { type NotOnLease, round, type Step } from './queue-steps.ts';

const CONNECTIONS = 8;
const RUNS = 25;
/** Which cases the random histories reach is a matter of luck: repeat the series up to this often until each rare case has occurred. */
const MOST_SERIES = 6;
const target = testDatabase();
let clock: DatabaseClock;

beforeAll(async () => {
  clock = await fakeDatabaseClock(target.database);
  await noteEvents(target.database);
});

const FACULTIES = faculties('resolved', ['claimed', { dedup_until: 'claimed' }], ['single', { max: 1 }]);

test(`${RUNS} random histories on ${CONNECTIONS} connections violate no rule and leave nothing stuck`, {
  timeout: 240_000,
}, async () => {
  const pool = target.open({ poolSize: CONNECTIONS });
  const reached = new Set<string>();
  const rare = () => REACHED.filter((what) => !reached.has(what));
  for (let series = 0; series < MOST_SERIES && rare().length > 0; series++) await playHistories(pool, reached);
  // The histories were useful: the calls had something to do.
  expect(rare()).toEqual([]);
});

async function playHistories(pool: Database, reached: Set<string>): Promise<void> {
  await assert(
    asyncProperty(array(round, { minLength: 4, maxLength: 10 }), async (rounds) => {
      await emptyQueue(target.database);
      await target.database.query('delete from animus.seen_transitions; delete from animus.seen_deletes');
      const items: string[] = [];
      const claims: ClaimedWork[] = [];
      for (const { steps, advance } of rounds) {
        await Promise.all(steps.map((one) => refusalsAside(take(pool, one, items, claims))));
        await expectRules(target.database);
        await clock.advance(advance);
      }
      await finishAll(pool);
      await expectRules(target.database);
      await noteReached(target.database, reached);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
}

const REACHED = `running waiting, waiting queued, claimed claimed, running completed, dead queued, running cancelled,
  a deletion, a letter accepted, a letter refused`.split(/,\s+/);

async function noteReached(db: Queryable, reached: Set<string>): Promise<void> {
  const rows = await db.query<{ what: string }>(
    `select before || ' ' || after as what from animus.seen_transitions
     union select 'claimed claimed' from animus.work_items where crashes > 1 or unstarted_claims > 0
     union select 'a deletion' from animus.seen_deletes
     union select 'a letter accepted' from pgmq.a_animus_inbox union select 'a letter refused' from pgmq.q_animus_inbox_dead`,
  );
  for (const { what } of rows) reached.add(what);
}

async function take(
  db: Queryable,
  { act, pick, faculty, key, concurrencyKey, delay }: Step,
  items: string[],
  claims: ClaimedWork[],
): Promise<void> {
  const item = items[pick % items.length];
  const work = claims[pick % claims.length];
  switch (act) {
    case 'insert':
      items.push(
        await insertWork(db, { faculty, dedup_key: key, concurrency_key: concurrencyKey, priority: pick % 3 }),
      );
      return;
    case 'child':
      if (item) items.push(await insertWork(db, { faculty, parent_id: item, concurrency_key: concurrencyKey }));
      return;
    case 'claim': {
      const claimed = await claim(db, 1 + (pick % 5), FACULTIES, randomUUID());
      // Nobody else may hold a token that was issued later: tokens only grow.
      for (const one of claimed) {
        for (const before of claims.filter((other) => other.id === one.id))
          expect(BigInt(before.leaseToken)).not.toBe(BigInt(one.leaseToken));
        claims.push(one);
      }
      return;
    }
    case 'resolve': {
      const [open] = await openWaits(db, item);
      if (!open || !(await resolveWait(db, open.id, open.callId, { answer: pick }))) return;
      // A resolved wait stays resolved.
      expect(await resolveWait(db, open.id, open.callId, { answer: 'late' })).toBe(false);
      return;
    }
    case 'due':
      await resolveDueWaits(db, 1 + (pick % 3));
      return;
    case 'mail':
      await db.query(`select pgmq.send('animus_inbox', $1::jsonb)`, [
        pick % 4 === 0 ? { nonsense: pick } : { faculty, description: 'mail', ...(key !== null && { dedup_key: key }) },
      ]);
      return;
    case 'drain':
      await drainInbox(db, 1 + (pick % 5));
      return;
    case 'prune':
      await db.query('select animus.prune_work(make_interval(secs => $1), $2)', [KEPT_SECONDS, 1 + (pick % 4)]);
      return;
    case 'cancel':
      if (item) await db.query('select animus.cancel_work($1)', [item]);
      return;
    case 'retry':
      if (item) await db.query('select animus.retry_work($1)', [item]);
      return;
    default:
      if (work) await takeOnLease(db, act, work, delay, claims, pick);
  }
}

/** A focus waits for somebody's answer, or for at most `delay` seconds. */
async function ask(db: Queryable, work: ClaimedWork, delay: Step['delay']): Promise<void> {
  const focusId = await startFocus(db, work);
  const [next] = await db.query<{ turn: number; deadline: Date }>(
    `select 1 + coalesce(max(turn), 0) as turn, animus.now() + make_interval(secs => $2) as deadline from animus.turns where focus_id = $1`,
    [focusId, delay ?? 0],
  );
  const { turn, deadline } = next!;
  const focused = { ...work, key: { workItemId: work.id, leaseToken: work.leaseToken, focusId } };
  await recordCalls(db, focused, turn, [`call${turn}`]);
  await openWait(db, focused.key, turn, `call${turn}`, { kind: 'human', deadline: delay === null ? null : deadline });
}

async function openWaits(db: Queryable, item?: string): Promise<{ readonly id: string; readonly callId: string }[]> {
  return db.query(
    `select work_item_id as id, call_id as "callId" from animus.waits where resolved_at is null and ($1::uuid is null or work_item_id = $1)`,
    [item ?? null],
  );
}

async function takeOnLease(
  db: Queryable,
  act: Exclude<Step['act'], NotOnLease>,
  work: ClaimedWork,
  delay: Step['delay'],
  claims: readonly ClaimedWork[],
  pick: number,
): Promise<void> {
  switch (act) {
    case 'start':
      await startFocus(db, work);
      return;
    case 'ask':
      return ask(db, work, delay);
    case 'park':
      expect(await parkWork(db, work)).toMatch(/^(waiting|queued|cancelled)$/);
      return;
    case 'complete':
      await completeWork(db, work, { by: work.leaseToken }, null);
      return expectEndedBy(db, work);
    case 'batch': {
      const some = claims.slice(pick % claims.length).slice(0, 4);
      const done = await completeBatch(
        db,
        some.map((one) => ({ ...one, outcome: { by: one.leaseToken }, summary: null })),
      );
      for (const [n, one] of some.entries()) if (done[n] === 'completed') await expectEndedBy(db, one);
      return;
    }
    case 'fail':
      await failWork(db, work, { code: 'x', message: 'x' }, delay, pick % 2 ? 'transcript' : 'ledger');
      return;
    case 'release':
      await releaseWork(db, work, { delaySeconds: delay ?? 0, reason: 'x', cause: 'test' });
      return;
    case 'extend':
      await extendLeases(db, work.id, claims.slice(0, 5), LEASE_SECONDS);
      return;
    case 'endCancelled':
      await endCancelled(db, work);
      return;
    case 'ledger':
      await db.query(`select animus.append_ledger($1, 'note', 'x', $2)`, [work.id, work.leaseToken]);
      return;
    default:
      act satisfies never;
  }
}

/** Refusals are valid results; a deadlock, a violated constraint or any other error fails the run. */
async function refusalsAside(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isAnimusError(error, 'work.lease_lost', 'work.locked', 'work.state', 'work.invalid', 'work.not_found'))
      throw error;
  }
}

/** The holder of the newest token ended it: outcome and token of the row are the holder's. */
async function expectEndedBy(db: Queryable, work: ClaimedWork): Promise<void> {
  const [row] = await db.query<{ outcome: unknown; lease_token: string; state: WorkState }>(
    'select outcome, lease_token, state from animus.work_items where id = $1',
    [work.id],
  );
  // The item of a repeated completion may have been deleted: it ended long before.
  if (row === undefined) return;
  expect(row).toMatchObject({ state: 'completed', lease_token: work.leaseToken, outcome: { by: work.leaseToken } });
}

/** All open items can still be completed by claiming: nothing waits for an event that never happens. */
async function finishAll(db: Queryable): Promise<void> {
  for (let idle = 0; idle < 3; ) {
    await clock.advance(LEASE_SECONDS + 1);
    for (const { id, callId } of await openWaits(db)) await resolveWait(db, id, callId, {});
    await drainInbox(db, 100);
    const work = await claim(db, 50, FACULTIES);
    await completeBatch(
      db,
      work.map((one) => ({ ...one, outcome: {}, summary: null })),
    );
    idle = work.length === 0 ? idle + 1 : 0;
  }
  expect(await db.query('select msg_id from pgmq.q_animus_inbox')).toEqual([]);
  expect(
    await db.query(`select id, state, faculty, concurrency_key, key_blocked from animus.work_items where ${OPEN}`),
  ).toEqual([]);
}

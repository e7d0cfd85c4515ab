/** A model check: random interleavings of the queue's functions from many connections, with all invariants checked between them. */
import { randomUUID } from 'node:crypto';
import { type Arbitrary, array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { isAnimusError } from '../../../src/core/errors/errors.ts';
import { TRANSITIONS, type WorkState } from '../../../src/core/work/work.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { openWait, parkWork, resolveDueWaits, resolveWait } from '../../../src/store/transcript/waits.ts';
import { drainInbox } from '../../../src/store/work/inbox.ts';
import {
  type ClaimedWork,
  completeBatch,
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

const CONNECTIONS = 8;
const RUNS = 25;
/** Which cases the random histories reach is a matter of luck: repeat the series up to this often until each rare case has occurred. */
const MOST_SERIES = 6;
/** Ended work is deleted when it is older than this: longer than a round, during which the clock stands still. */
const KEPT_SECONDS = 40;
const target = testDatabase();
let clock: DatabaseClock;

beforeAll(async () => {
  clock = await fakeDatabaseClock(target.database);
  await target.database.query(`create table animus.seen_transitions (work_item_id uuid, before text, after text)`);
  await target.database.query(`create function animus.note_transition() returns trigger language plpgsql as $$ begin
    insert into animus.seen_transitions values (old.id, old.state, new.state); return null; end $$`);
  await target.database.query(`create trigger note_transition after update of state on animus.work_items for each row
    when (old.state <> new.state) execute function animus.note_transition()`);
  await target.database.query(`create table animus.seen_deletes (inbox_msg_id text, kept_for interval)`);
  await target.database.query(`create function animus.note_delete() returns trigger language plpgsql as $$ begin
    insert into animus.seen_deletes values (old.trigger_info ->> 'inbox_msg_id', animus.now() - old.resolved_at); return null; end $$`);
  await target.database.query(
    `create trigger note_delete after delete on animus.work_items for each row execute function animus.note_delete()`,
  );
});

/** One call by one connection; numbers select among the items and claims that exist then. */
interface Step {
  readonly act:
    | 'insert'
    | 'child'
    | 'claim'
    | 'start'
    | 'complete'
    | 'batch'
    | 'fail'
    | 'release'
    | 'extend'
    | 'cancel'
    | 'endCancelled'
    | 'retry'
    | 'ledger'
    | 'ask'
    | 'park'
    | 'resolve'
    | 'due'
    | 'mail'
    | 'drain'
    | 'prune';
  readonly pick: number;
  readonly faculty: 'resolved' | 'claimed' | 'single';
  readonly key: string | null;
  readonly concurrencyKey: string | null;
  readonly delay: 0 | 30 | null;
}

const step: Arbitrary<Step> = record({
  act: constantFrom<Step['act'][]>(
    ...([
      'insert',
      'insert',
      'insert',
      'child',
      'claim',
      'claim',
      'claim',
      'start',
      'complete',
      'complete',
      'batch',
    ] as const),
    ...(['fail', 'fail', 'release', 'extend', 'cancel', 'endCancelled', 'retry', 'retry', 'ledger'] as const),
    ...(['ask', 'ask', 'ask', 'park', 'park', 'park', 'resolve', 'due', 'mail', 'mail', 'drain', 'prune'] as const),
  ),
  pick: nat(1000),
  faculty: constantFrom<Step['faculty'][]>('resolved', 'claimed', 'single'),
  key: constantFrom(null, 'a', 'b'),
  concurrencyKey: constantFrom(null, 'x', 'y'),
  delay: constantFrom<Step['delay'][]>(0, 30, null),
});
/** Steps of a round run in parallel; then the clock advances. */
const round = record({
  steps: array(step, { minLength: 3, maxLength: 16 }),
  advance: constantFrom(0, 0, 1, 31, LEASE_SECONDS + 1),
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

type NotOnLease = 'insert' | 'child' | 'claim' | 'cancel' | 'retry' | 'resolve' | 'due' | 'mail' | 'drain' | 'prune';

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
      await releaseWork(db, work, { delaySeconds: delay ?? 0, reason: 'x' });
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

const OPEN = `state not in ('completed', 'dead', 'merged', 'cancelled')`;

/** Each query finds violations. */
const BROKEN: Readonly<Record<string, string>> = {
  'an open item without its message': `select id from animus.work_items w where ${OPEN}
     and (select count(*) from pgmq.q_animus_work m where m.msg_id = w.queue_msg_id and m.message = jsonb_build_object('work_item_id', w.id)) <> 1`,
  'a message without its open item': `select msg_id from pgmq.q_animus_work m
     where not exists (select from animus.work_items w where w.queue_msg_id = m.msg_id and ${OPEN})`,
  'a message both queued and archived': `select msg_id from pgmq.q_animus_work join pgmq.a_animus_work using (msg_id)`,
  'an active key whose item has ended': `select dedup_key from animus.active_keys k
     where not exists (select from animus.work_items w where w.id = k.work_item_id and w.faculty = k.faculty and w.dedup_key = k.dedup_key and ${OPEN})`,
  'an open item that lost its key': `select id from animus.work_items w where ${OPEN} and dedup_key is not null
     and (faculty = 'resolved' or attempts = 0 and lease_token is null)
     and not exists (select from animus.active_keys k where k.work_item_id = w.id)`,
  'two holders of a concurrency key': `select concurrency_key from animus.work_items where state in ('claimed', 'running') and concurrency_key is not null
     group by 1 having count(*) > 1`,
  'a stuck concurrency key': `select id from animus.work_items w where key_blocked
     and not exists (select from animus.work_items h where h.concurrency_key = w.concurrency_key and h.state in ('claimed', 'running'))
     and not exists (select from animus.freed_keys f where f.concurrency_key = w.concurrency_key)
     and not exists (select from animus.work_items r where r.concurrency_key = w.concurrency_key and r.faculty = w.faculty
                        and r.state = 'queued' and not r.key_blocked)`,
  'more than the maximum of a faculty': `select 1 from animus.work_items where faculty = 'single' and state in ('claimed', 'running') having count(*) > 1`,
  'an open focus of ended work': `select f.id from animus.foci f join animus.work_items w on w.id = f.work_item_id where f.ended_as is null and w.resolved_at is not null`,
  'a token given twice': `select lease_token from animus.work_items where lease_token is not null group by 1 having count(*) > 1`,
  'a ledger with a gap': `select work_item_id from animus.work_ledger group by 1 having max(seq) <> count(*)`,
  'waiting for nothing': `select id from animus.work_items w where state = 'waiting'
     and not exists (select from animus.waits t where t.work_item_id = w.id and t.resolved_at is null)`,
  'an open wait of ended work': `select call_id from animus.waits t join animus.work_items w on w.id = t.work_item_id
     where t.resolved_at is null and w.resolved_at is not null`,
  'a waiting call without its wait': `select t.call_id from animus.tool_calls t join animus.foci f on f.id = t.focus_id
     where t.state = 'waiting' and f.ended_as is null
       and not exists (select from animus.waits w where w.work_item_id = f.work_item_id and w.call_id = t.call_id)`,
  'a message of the inbox in two places': `select msg_id from (select msg_id from pgmq.q_animus_inbox union all select msg_id from pgmq.a_animus_inbox
     union all select (message ->> 'msg_id')::bigint from pgmq.q_animus_inbox_dead) m group by msg_id having count(*) > 1`,
  'an accepted message without its item': `select msg_id from pgmq.a_animus_inbox a
     where not exists (select from animus.work_items w where w.trigger_info ->> 'inbox_msg_id' = a.msg_id::text)
       and not exists (select from animus.seen_deletes d where d.inbox_msg_id = a.msg_id::text)`,
  'two items of one message': `select trigger_info ->> 'inbox_msg_id' from animus.work_items where source = 'inbox' group by 1 having count(*) > 1`,
  'work deleted too early': `select from animus.seen_deletes where kept_for <= interval '${KEPT_SECONDS} seconds'`,
  'attempts passed': `select id from animus.work_items where attempts > max_attempts`,
};

async function expectRules(db: Queryable): Promise<void> {
  const broken: string[] = [];
  for (const [rule, query] of Object.entries(BROKEN)) if ((await db.query(query)).length > 0) broken.push(rule);
  const seen = await db.query<{ before: WorkState; after: WorkState }>(
    'select distinct before, after from animus.seen_transitions',
  );
  for (const { before, after } of seen)
    if (!TRANSITIONS[before].includes(after)) broken.push(`${before} became ${after}`);
  expect(broken).toEqual([]);
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

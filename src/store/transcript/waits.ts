/** Waits of parked foci: thin calls of the SQL functions, which hold the rules of waking. */

import type { WaitKind, WaitSubject } from '../../core/work/words.ts';
import type { WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';
import type { ItemFault } from '../work/claimed/claim-faults.ts';
import type { Claimed } from '../work/work.ts';
import type { FocusKey } from './focus-row.ts';

/** What a call asks to wait for. */
export interface WaitRequest {
  readonly kind: WaitKind;
  /** Work items waited for, where the kind is `children`. */
  readonly targets?: readonly string[];
  readonly mode?: 'all' | 'any';
  /**
   * When the wait ends by itself, by the database's clock: the due time of a timer, the time-out of any other wait. Null:
   * never.
   */
  readonly deadline: Date | null;
  /** Set if it waits for a person; then `deadline` is not used. */
  readonly asks?: Asks;
}

/** What a person is asked. */
export interface Asks {
  readonly subject: WaitSubject;
  /** The exact thing to be decided. */
  readonly request: Readonly<Record<string, unknown>>;
  /** After so many seconds the answer is no; null: never. */
  readonly seconds: number | null;
}

/** How a wait ended. `due`: a timer's time has come; `timed_out`: the deadline came first; else what the resolver gave. */
export type WaitResult = Readonly<Record<string, unknown>> & {
  readonly due?: true;
  readonly timed_out?: true;
  /** Of a person, with who it was. */
  readonly decision?: 'approve' | 'deny' | 'answer';
  readonly by?: string;
  readonly note?: string;
  readonly answer?: unknown;
};

/** A wait as stored; `resolvedAt` and `result` are null while it is open. */
export interface Wait {
  readonly callId: string;
  readonly kind: WaitKind;
  /** What a person is asked; null for any other wait. */
  readonly subject: WaitSubject | null;
  readonly targets: readonly string[];
  readonly mode: 'all' | 'any' | null;
  readonly deadline: Date | null;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
  readonly result: WaitResult | null;
  /** Of the call that waits: what it runs with in place of the model's input; null: unchanged. */
  readonly finalInput: unknown;
}

/** Turns a running call into a waiting one; false, and no change, where it waits or has ended already. */
export async function openWait(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  turn: number,
  callId: string,
  { kind, targets = [], mode, deadline }: WaitRequest,
): Promise<boolean> {
  const open = `select animus.open_wait($1, $2, $3, $4, $5, $6::uuid[], $7, $8::timestamptz)`;
  const until = deadline?.toISOString() ?? null;
  return readValue<boolean>(db, open, [focusId, leaseToken, turn, callId, kind, targets, mode ?? null, until]);
}

/** The waits of an item, resolved ones included. */
export async function readWaits(db: Queryable, workItemId: string): Promise<Wait[]> {
  return db.query<Wait>(
    `select w.call_id as "callId", w.kind, w.subject, w.targets, w.mode, w.deadline, w.created_at as "createdAt", w.resolved_at as "resolvedAt", w.result,
            c.final_input as "finalInput"
       from animus.waits w
       left join animus.tool_calls c on c.focus_id = w.focus_id and c.turn = w.turn and c.call_id = w.call_id
      where w.work_item_id = $1 order by w.created_at, w.call_id`,
    [workItemId],
  );
}

/** Whether a person has approved this call of this turn. */
export async function isApproved(db: Queryable, { focusId }: FocusKey, turn: number, callId: string): Promise<boolean> {
  return readValue<boolean>(
    db,
    `select exists (select from animus.foci f join animus.waits w on w.work_item_id = f.work_item_id
                     where f.id = $1 and w.focus_id = f.id and w.turn = $2 and w.call_id = $3 and w.result ->> 'decision' = 'approve')`,
    [focusId, turn, callId],
  );
}

/**
 * Parks the item's focus: state `waiting`, without slot and lease. Returns the actual new state: `queued` if every wait
 * was resolved meanwhile, `cancelled` if a cancel had been requested. Errors: `work.lease_lost`.
 */
export async function parkWork(db: Queryable, work: Claimed): Promise<WorkState> {
  return readValue<WorkState>(db, `select animus.park_work($1, $2)`, [work.id, work.leaseToken]);
}

/** Resolves one wait, and wakes its item when it was the last; false where it was resolved before. Safe to repeat and to race. */
export async function resolveWait(
  db: Queryable,
  workItemId: string,
  callId: string,
  result: WaitResult,
): Promise<boolean> {
  return readValue<boolean>(db, `select animus.resolve_wait($1, $2, $3::jsonb)`, [workItemId, callId, toJsonb(result)]);
}

/** The result of a check of the deadlines; `nextDueMs`: time until the next one, at least 0, null if there is none. */
export interface DueWaits {
  readonly resolved: number;
  readonly nextDueMs: number | null;
  /** Items of which no wait could be resolved, and which are left out for a while. */
  readonly faults?: readonly ItemFault[] | undefined;
}

/** Resolves waits whose deadline has passed, of at most `limit` items. */
export async function resolveDueWaits(db: Queryable, limit: number): Promise<DueWaits> {
  const [row] = await db.query<Omit<DueWaits, 'faults'> & { readonly faults: DueWaits['faults'] | null }>(
    `select resolved, case when next_due is not null then (greatest(0, extract(epoch from next_due - animus.now())) * 1000)::float8 end as "nextDueMs",
            (select jsonb_agg(jsonb_build_object('workItemId', f -> 'work_item_id', 'faculty', f -> 'faculty', 'message', f -> 'message', 'failures', f -> 'failures', 'until', f -> 'until',
                      'leftSeconds', extract(epoch from (f ->> 'until')::timestamptz - animus.now())))
               from jsonb_array_elements(faults) f) as faults
       from animus.resolve_due_waits($1)`,
    [limit],
  );
  const { resolved, nextDueMs, faults } = row!;
  return { resolved, nextDueMs, ...(faults !== null && { faults }) };
}

/** Now, and when a wait until `time` (else for `seconds`) is over; on the database's clock, the only one that decides it. */
export async function waitTimes(
  db: Queryable,
  time: string | null,
  seconds: number,
): Promise<{ readonly now: Date; readonly deadline: Date }> {
  const [row] = await db.query<{ now: Date; deadline: Date }>(
    `select c.now, coalesce($1::timestamptz, c.now + make_interval(secs => $2)) as deadline from (select animus.now() as now) c`,
    [time, seconds],
  );
  return row!;
}

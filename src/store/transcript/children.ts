/** Child work of an item: thin calls of the SQL functions, which hold the rules of locks, limits and waking (24_children.sql). */
import type { LedgerType, WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';
import { refusedAsInvalid } from '../work/submit-work.ts';
import type { FocusKey } from './focus-row.ts';

/** Child work that a focus asks for. */
export interface NewChild {
  readonly faculty: string;
  readonly description: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly skill: string | null;
  /** Null: that of the parent. */
  readonly priority: number | null;
  readonly dedupKey: string | null;
  /** True: it is not cancelled with its parent. */
  readonly detached: boolean;
  /** W3C traceparent of the span that spawns it. */
  readonly traceContext: string | null;
}

/** How much child work an item may have. */
export interface ChildLimits {
  /** Children of one item, ended ones included; the database allows at most 1,000. */
  readonly maxChildren: number;
  /** Levels below the root; the database allows at most 5. */
  readonly maxDepth: number;
}

/** The result: `mergedInto` is the active item that does the same work; null also where the parent's submitter may not see it. */
export interface SpawnedChild {
  readonly id: string;
  readonly state: WorkState;
  readonly mergedInto: string | null;
  /** True: an earlier attempt spawned it with the same faculty, description, params and skill, and nothing was spawned now. */
  readonly earlier: boolean;
}

/** Spawns child work, or gives back what an earlier attempt spawned. Errors: `work.invalid` beyond a limit or for wrong values, `work.lease_lost`, `work.locked` (try again). */
export async function spawnChildWork(
  db: Queryable,
  focus: FocusKey & { readonly callId: string },
  child: NewChild,
  limits: ChildLimits,
): Promise<SpawnedChild> {
  const [row] = await refusedAsInvalid(
    db.query<SpawnedChild>(
      `select id, state, merged_into as "mergedInto", earlier
         from animus.spawn_child_work($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10, $11, $12, $13)`,
      [
        focus.focusId,
        focus.leaseToken,
        focus.callId,
        child.faculty,
        toText(child.description),
        toJsonb(child.params),
        child.skill,
        child.priority,
        toText(child.dedupKey),
        child.detached,
        child.traceContext,
        limits.maxChildren,
        limits.maxDepth,
      ],
    ),
  );
  return row!;
}

/** A child that an item is going to wait for. */
export interface AwaitedChild {
  readonly childId: string;
  /** The child, or the item into which it was merged. */
  readonly targetId: string;
  readonly ended: boolean;
}

/**
 * Locks the item with these children until the end of the transaction, so that none of them ends unseen. `ids` null: those that are open, and those
 * whose end was not reported to this focus. Errors: `work.invalid` if one is not a child of the item, or might wait for it; `work.locked` (try again).
 */
export async function lockChildren(
  tx: Queryable,
  focus: FocusKey,
  ids: readonly string[] | null,
): Promise<AwaitedChild[]> {
  return tx.query<AwaitedChild>(
    `select child_id as "childId", target_id as "targetId", ended from animus.lock_children($1, $2, $3::uuid[])`,
    [focus.focusId, focus.leaseToken, ids],
  );
}

/** What a parent sees of a child, or of the item into which it was merged. */
export interface ChildReport {
  readonly id: string;
  readonly faculty: string;
  /** Null also if the parent's submitter may not see the item into which it was merged. */
  readonly mergedInto: string | null;
  /** The child, or the item into which it was merged: what is waited for. Not for the model. */
  readonly targetId: string;
  readonly detached: boolean;
  /** Null: the item was deleted. */
  readonly state: WorkState | null;
  readonly ended: boolean;
  /** False: it was merged into work that the parent's submitter may not see. The fields below are then empty. */
  readonly visible: boolean;
  readonly description: string | null;
  readonly summary: string | null;
  /** The beginning of its JSON text; of an outcome that is only a text, that text. */
  readonly outcome: string | null;
  readonly outcomeBytes: number | null;
  readonly error: string | null;
  /** The newest entries, oldest first: findings of ended work, all types of open work. */
  readonly ledger: readonly { readonly type: LedgerType; readonly content: string }[];
}

const OUTCOME_CHARS = 100_000;
const ENTRY_CHARS = 2000;
const ENTRIES = 5;

/**
 * Reads the children of an item, in the order in which they were spawned: those with these ids, or all. `conversation`: also the children of the
 * answers with which the item, an answer itself, goes on.
 */
export async function readChildren(
  db: Queryable,
  parentId: string,
  ids: readonly string[] | null,
  of: 'item' | 'conversation' = 'item',
): Promise<ChildReport[]> {
  return db.query<ChildReport>(
    `select c.id, c.faculty, case when v.visible then c.merged_into end as "mergedInto", coalesce(c.merged_into, c.id) as "targetId", c.detached is true as detached, t.state, coalesce(t.resolved_at is not null, true) as ended,
            v.visible, left(s.description, 200) as description, s.outcome_summary as summary, left(o.text, ${OUTCOME_CHARS}) as outcome,
            octet_length(o.text) as "outcomeBytes", coalesce(s.error ->> 'message', s.error::text) as error,
            array(
              select json_build_object('type', l.entry_type, 'content', left(l.content, ${ENTRY_CHARS})) from (
                select e.entry_type, e.content, e.seq from animus.all_ledger e
                 where e.work_item_id = s.id and (s.resolved_at is null or e.entry_type = 'finding') order by e.seq desc limit ${ENTRIES}) l
               order by l.seq) as ledger
       from animus.work_items c
       left join animus.work_items t on t.id = coalesce(c.merged_into, c.id)
       cross join lateral (select coalesce(c.merged_into is null or animus.may_enter(c.parent_id, t.id), true) as visible) v
       left join animus.work_items s on s.id = t.id and v.visible
       cross join lateral (select case when s.outcome - 'text' = '{}' then s.outcome ->> 'text' else s.outcome::text end as text) o
      where c.parent_id = any (case when $3 then animus.items_of_chain($1) else array[$1::uuid] end) and ($2::uuid[] is null or c.id = any ($2))
      order by c.id`,
    [parentId, ids, of === 'conversation'],
  );
}

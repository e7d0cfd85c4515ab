/**
 * Reads work for the CLI. Rows keep the names of their columns: `--json` prints them as they are, so these names are the
 * machine interface (docs/cli.md). Token counts are numbers, costs USD.
 */

import { AnimusError } from '../../core/errors/errors.ts';
import type { Waiting } from '../../core/work/waiting.ts';
import type { WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import { type CostParts, itemCost, itemTokens, type TokenCounts } from './known-cost.ts';
import { withWaiting } from './waiting.ts';

/** A work item as a line of a list. */
export interface WorkSummary extends CostParts {
  readonly id: string;
  readonly faculty: string;
  readonly state: WorkState;
  readonly description: string;
  readonly priority: number;
  readonly attempts: number;
  readonly turns: number;
  /** USD, with what lost requests may have cost; null: the cost of no call is known. */
  readonly cost_usd: number | null;
  readonly parent_id: string | null;
  /** Null also where the login may not see that item. */
  readonly merged_into: string | null;
  readonly outcome_summary: string | null;
  readonly run_at: Date | null;
  readonly created_at: Date;
  readonly resolved_at: Date | null;
  /** Why it does not go on now; null: it does, or has ended. */
  readonly waiting: Waiting | null;
}

/** A work item with all that its row says for people. */
export interface WorkDetail extends WorkSummary, TokenCounts {
  readonly skill: string | null;
  readonly params: Readonly<Record<string, unknown>>;
  readonly dedup_key: string | null;
  readonly concurrency_key: string | null;
  readonly source: string;
  readonly trigger_info: unknown;
  /** Null, and so is the depth, for a login that may only submit. */
  readonly root_id: string | null;
  readonly depth: number | null;
  readonly max_attempts: number | null;
  readonly lease_owner: string | null;
  readonly lease_expires_at: Date | null;
  readonly cancel_requested_at: Date | null;
  readonly cancel_reason: string | null;
  readonly outcome: unknown;
  readonly error: unknown;
  readonly updated_at: Date;
}

/** A work item in a tree. */
export interface Descendant extends WorkSummary {
  /** True: it is not cancelled with its parent. */
  readonly detached: boolean;
}

/** Longer descriptions are cut in lists, which may hold hundreds of them; `readWork` has them whole. */
export const LISTED = `left(w.description, 10000) as description, left(w.outcome_summary, 1000) as outcome_summary`;

/** A JSON column as a program can read it: work of an earlier animus may hold more than a text of JavaScript can. */
export const readable = (column: 'params' | 'trigger_info' | 'outcome' | 'error') =>
  `case when pg_column_size(${column}) > 65536 and octet_length(${column}::text) > 16777216
        then jsonb_build_object('left_out', octet_length(${column}::text) || ' bytes') else ${column} end as ${column}`;

/** One item; `id` is a full id. Errors: `work.not_found`. */
export async function readWork(db: Queryable, id: string): Promise<WorkDetail> {
  const [row] = await db.query<Omit<WorkDetail, 'waiting'>>(
    `select id, faculty, state, left(description, 1048576) as description, priority, attempts, turns, ${itemCost('cost_usd')}, parent_id,
            merged_into, left(outcome_summary, 10000) as outcome_summary, run_at, created_at, resolved_at, skill, ${readable('params')},
            dedup_key, concurrency_key, left(source, 1024) as source, ${readable('trigger_info')},
            root_id, depth, max_attempts, lease_owner, lease_expires_at, cancel_requested_at, cancel_reason, ${readable('outcome')}, ${readable('error')},
            ${itemTokens()}, updated_at
       from animus.work_items where id = $1::uuid`,
    [id],
  );
  if (row === undefined) throw notFound(id);
  return (await withWaiting(db, [row]))[0]!;
}

/** The error for an item that is not there, or that the login may not see. */
export function notFound(id: string): AnimusError {
  return new AnimusError('work.not_found', { id, detail: `no work item ${id}` });
}

/** The item with all its descendants: parents before their children, oldest first; at most 500. */
export async function readDescendants(db: Queryable, id: string): Promise<Descendant[]> {
  const rows = await db.query<Omit<Descendant, 'waiting'>>(
    `with recursive tree as (
       select id, array[id] as path from animus.work_items where parent_id = $1::uuid
       union all
       select w.id, t.path || w.id from animus.work_items w join tree t on w.parent_id = t.id)
     select w.id, w.faculty, w.state, ${LISTED}, w.priority, w.attempts, w.turns, ${itemCost('cost_usd', 'w.')}, w.parent_id,
            w.merged_into, w.run_at, w.created_at, w.resolved_at, w.detached is true as detached
       from (select id, path from tree order by path limit 500) t join animus.work_items w on w.id = t.id
      order by t.path`,
    [id],
  );
  return withWaiting(db, rows);
}

/**
 * Whether the login may read the tables; otherwise `own-work.ts` has readers for it. A member of a role that sees all work may, too: if the role has lost its
 * rights, reading is refused, and does not show the work of the login alone as if it were all.
 */
export async function seesTables(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ sees: boolean }>(
    `select has_table_privilege('animus.work_items', 'select') or not has_table_privilege('animus.own_work', 'select')
         or exists (select from pg_roles r where r.rolname in ('animus_reader', 'animus_operator', 'animus_daemon') and pg_has_role(r.oid, 'usage')) as sees`,
  );
  return row!.sees;
}

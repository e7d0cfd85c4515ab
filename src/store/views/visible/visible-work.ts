/** Reads work as the actor may see it, in the transaction of a gateway. Rows keep the names of their columns. */

import type { Queryable } from '../../sql/database.ts';
import { toText } from '../../sql/json.ts';
import { itemCost, itemTokens } from '../known-cost.ts';
import { withWaiting } from '../waiting.ts';
import type { WorkFilter } from '../work-list.ts';
import { LISTED, notFound, readable, type WorkDetail, type WorkSummary } from '../work-views.ts';

/** What the API shows of an item. */
export type VisibleWork = Omit<WorkDetail, 'lease_owner' | 'lease_expires_at' | 'root_id' | 'depth'> & {
  readonly root_id: string;
  readonly depth: number;
  readonly submitted_by: string | null;
  readonly batch: boolean | null;
  /** True: it is not cancelled with its parent. */
  readonly detached: boolean;
};

/** One item. Errors: `work.not_found`, also for one that the actor may not see. */
export async function readVisibleWork(tx: Queryable, id: string): Promise<VisibleWork> {
  const [row] = await tx.query<Omit<VisibleWork, 'waiting'>>(
    `select id, faculty, state, left(description, 1048576) as description, priority, attempts, turns, ${itemCost('cost_usd')}, parent_id,
            merged_into, left(outcome_summary, 10000) as outcome_summary, run_at, created_at, resolved_at, skill, ${readable('params')}, dedup_key,
            concurrency_key, left(source, 1024) as source, ${readable('trigger_info')}, root_id, depth, max_attempts, cancel_requested_at, cancel_reason,
            ${readable('outcome')}, ${readable('error')}, ${itemTokens()}, updated_at,
            submitted_by, batch, detached is true as detached
       from animus.visible_work where id = $1::uuid`,
    [id],
  );
  if (row === undefined) throw notFound(id);
  return (await withWaiting(tx, [row]))[0]!;
}

/** Errors: `work.not_found`, as `readVisibleWork`. */
export async function requireVisibleWork(tx: Queryable, id: string): Promise<void> {
  const [row] = await tx.query('select from animus.visible_work where id = $1::uuid', [id]);
  if (row === undefined) throw notFound(id);
}

/** The newest items that pass the filter, newest first. Descriptions have at most 10,000 characters. */
export async function listVisibleWork(tx: Queryable, filter: WorkFilter): Promise<WorkSummary[]> {
  const { state = null, parentId = null, after = null, limit } = filter;
  const faculty = filter.faculty === undefined ? null : toText(filter.faculty);
  const rows = await tx.query<Omit<WorkSummary, 'waiting'>>(
    `select w.id, w.faculty, w.state, ${LISTED}, w.priority, w.attempts, w.turns, ${itemCost('cost_usd', 'w.')}, w.parent_id, w.merged_into,
            w.run_at, w.created_at, w.resolved_at
       from animus.list_visible_work($1, $2, $3, $4, $5) listed (id) join animus.visible_work w on w.id = listed.id
      order by w.id desc`,
    [limit, after, state, faculty, parentId],
  );
  return withWaiting(tx, rows);
}

/** Reads work as the actor may see it. Rows keep the names of their columns: the API sends them, and `--json` prints them (docs/cli.md). */
import type { WorkState } from '../core/work/work.ts';
import type { Queryable } from '../store/sql/database.ts';
import { toText } from '../store/sql/json.ts';
import { itemCost, itemTokens } from '../store/views/known-cost.ts';
import type { Views } from '../store/views/views-of-login.ts';
import { noWork } from '../store/views/views-of-login.ts';
import { withWaiting } from '../store/views/waiting.ts';
import { WAITING_COLUMNS, type WaitingColumns, waitingRow } from '../store/work/waiting-columns.ts';
import type { WorkItem, WorkSummary } from './work-rows.ts';

/** An item with what only a terminal shows. */
export interface WorkDetail extends WorkItem {
  readonly lease_owner: string | null;
  readonly lease_expires_at: Date | null;
}

/** A JSON column as a program can read it: work of an earlier animus may hold more than a text of JavaScript can. */
const readable = (column: 'params' | 'trigger_info' | 'outcome' | 'error') =>
  `case when pg_column_size(${column}) > 65536 and octet_length(${column}::text) > 16777216
        then jsonb_build_object('left_out', octet_length(${column}::text) || ' bytes') else ${column} end as ${column}`;

const ITEM = `id, faculty, state, left(description, 1048576) as description, priority, attempts, turns, ${itemCost('cost_usd')}, parent_id,
  merged_into, left(outcome_summary, 10000) as outcome_summary, run_at, created_at, resolved_at, skill, ${readable('params')}, dedup_key,
  concurrency_key, left(source, 1024) as source, ${readable('trigger_info')}, cancel_requested_at, ${readable('outcome')}, ${readable('error')},
  ${itemTokens()}, updated_at, batch, detached is true as detached`;

/** `offset 0` keeps the planner from calling the function for items that cannot wait. */
const WAITING = `left join lateral (
      select * from animus.why_waiting(array[w.id]) where w.state in ('queued', 'scheduled', 'waiting', 'claimed') offset 0) y on true`;

const READ = {
  visible: `select ${ITEM}, root_id, depth, max_attempts, lease_owner, lease_expires_at, cancel_reason, submitted_by, ${WAITING_COLUMNS}
    from animus.visible_item w ${WAITING} where id = $1::uuid`,
  own: `select ${ITEM}, null as root_id, null as depth, null as max_attempts, null as lease_owner, null as lease_expires_at, null as cancel_reason,
      animus.actor() as submitted_by, ${WAITING_COLUMNS} from animus.own_work w ${WAITING} where id = $1::uuid`,
} as const satisfies Record<Views, string>;

/** One item; `id` is a full id. What `own_work` does not have is null. Errors: `work.not_found`, also for one that the actor may not see. */
export async function readWork(db: Queryable, id: string, views: Views = 'visible'): Promise<WorkDetail> {
  const [row] = await db.query<Omit<WorkDetail, 'waiting'> & WaitingColumns>(READ[views], [id]);
  if (row === undefined) throw noWork(id);
  return waitingRow(row);
}

/** What narrows a list; everything is optional but the limit. */
export interface WorkFilter {
  readonly state?: WorkState | undefined;
  readonly faculty?: string | undefined;
  readonly parentId?: string | undefined;
  /** Only items that come after this one in the list, by its full id; it need not exist. */
  readonly after?: string | undefined;
  /** At least 1. */
  readonly limit: number;
}

/** Longer texts are cut in lists, which may hold hundreds of them; `readWork` has them whole. */
const LISTED = `w.id, w.faculty, w.state, left(w.description, 10000) as description, left(w.outcome_summary, 1000) as outcome_summary, w.priority, w.attempts,
  w.turns, ${itemCost('cost_usd', 'w.')}, w.parent_id, w.merged_into, w.run_at, w.created_at, w.resolved_at`;

/** The newest items that pass the filter, newest first. */
export async function listWork(db: Queryable, filter: WorkFilter, views: Views = 'visible'): Promise<WorkSummary[]> {
  const { state = null, faculty, parentId = null, after = null, limit } = filter;
  const rows = await db.query<Omit<WorkSummary, 'waiting'>>(
    `select ${LISTED} from animus.${views}_work w
      where w.id = any (array(select animus.list_visible_work($1, $2, $3, $4, $5))) order by w.id desc`,
    [limit, after, state, toText(faculty), parentId],
  );
  return withWaiting(db, rows);
}

/** The items with these ids, in the same order; without those that are gone. */
export async function readListed(db: Queryable, ids: readonly string[], views: Views): Promise<WorkSummary[]> {
  const rows = await db.query<Omit<WorkSummary, 'waiting'>>(
    `select ${LISTED} from unnest($1::uuid[]) with ordinality i (id, n) join animus.${views}_work w on w.id = i.id order by i.n`,
    [ids],
  );
  return withWaiting(db, rows);
}

/** A work item in a tree. */
export interface Descendant extends WorkSummary {
  /** True: it is not cancelled with its parent. */
  readonly detached: boolean;
}

/** The item with all its descendants: parents before their children, oldest first; at most 500. For who may read the tables. */
export async function readDescendants(db: Queryable, id: string): Promise<Descendant[]> {
  const rows = await db.query<Omit<Descendant, 'waiting'>>(
    `with recursive tree as (
       select id, array[id] as path from animus.work_items where parent_id = $1::uuid
       union all
       select w.id, t.path || w.id from animus.work_items w join tree t on w.parent_id = t.id)
     select ${LISTED}, w.detached is true as detached
       from (select id, path from tree order by path limit 500) t join animus.work_items w on w.id = t.id
      order by t.path`,
    [id],
  );
  return withWaiting(db, rows);
}

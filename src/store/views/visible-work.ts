/** Reads work as the actor may see it, in the transaction of a gateway. Rows keep the names of their columns. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';
import type { WorkFilter } from './work-list.ts';
import { LISTED, type WorkDetail, type WorkSummary } from './work-views.ts';

/** What the API shows of an item. */
export type VisibleWork = WorkSummary &
  Pick<
    WorkDetail,
    | 'skill'
    | 'params'
    | 'dedup_key'
    | 'concurrency_key'
    | 'source'
    | 'trigger_info'
    | 'cancel_requested_at'
    | 'outcome'
    | 'error'
    | 'input_tokens'
    | 'output_tokens'
    | 'updated_at'
  >;

/** One item. Errors: `work.not_found`, also for one that the actor may not see. */
export async function readVisibleWork(tx: Queryable, id: string): Promise<VisibleWork> {
  const [row] = await tx.query<VisibleWork>(
    `select id, faculty, state, left(description, 1048576) as description, priority, attempts, turns, cost_usd::float8 as cost_usd, parent_id,
            merged_into, left(outcome_summary, 10000) as outcome_summary, run_at, created_at, resolved_at, skill, params, dedup_key, concurrency_key,
            left(source, 1024) as source, trigger_info, cancel_requested_at, outcome, error, input_tokens::float8 as input_tokens,
            output_tokens::float8 as output_tokens, updated_at
       from animus.own_work where id = $1::uuid`,
    [id],
  );
  if (row === undefined) throw new AnimusError('work.not_found', { id, detail: `no work item ${id}` });
  return row;
}

/** The newest items that pass the filter, newest first. Descriptions have at most 10,000 characters. */
export async function listVisibleWork(tx: Queryable, filter: WorkFilter): Promise<WorkSummary[]> {
  const { state = null, parentId = null, after = null, limit } = filter;
  const faculty = filter.faculty === undefined ? null : toText(filter.faculty);
  return tx.query<WorkSummary>(
    `select w.id, w.faculty, w.state, ${LISTED}, w.priority, w.attempts, w.turns, w.cost_usd::float8 as cost_usd, w.parent_id, w.merged_into,
            w.run_at, w.created_at, w.resolved_at
       from animus.own_work w
      where ($2::uuid is null or w.id < $2) and ($3::text is null or w.state = $3) and ($4::text is null or w.faculty = $4)
        and ($5::uuid is null or w.parent_id = $5)
      order by w.id desc limit $1`,
    [limit, after, state, faculty, parentId],
  );
}

/** Lists of work. Each kind of filter has its own statement, so that it can use the partial indexes of the states, also at a million rows. */

import type { WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';
import { itemCost } from './known-cost.ts';
import { withWaiting } from './waiting.ts';
import { LISTED, type WorkSummary } from './work-views.ts';

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

/** The newest items that pass the filter, newest first. Descriptions have at most 10,000 characters. */
export async function listWork(db: Queryable, filter: WorkFilter): Promise<WorkSummary[]> {
  return withWaiting(db, await listRows(db, filter));
}

async function listRows(db: Queryable, filter: WorkFilter): Promise<Omit<WorkSummary, 'waiting'>[]> {
  const { state = null, parentId = null, limit } = filter;
  const faculty = filter.faculty === undefined ? null : toText(filter.faculty);
  const page = [limit, filter.after ?? BEFORE_ALL];
  if (parentId !== null) return db.query(CHILDREN, [...page, parentId, state, faculty]);
  if (state !== null && faculty !== null) return db.query(OF_STATE_AND_FACULTY[state], [...page, faculty]);
  if (state !== null) return db.query(OF_STATE[state], page);
  if (faculty !== null) return db.query(OF_FACULTY, [...page, faculty]);
  return db.query(ALL, page);
}

/** Every id is less. */
const BEFORE_ALL = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The state of an item in words that the predicates of the partial indexes follow from. */
const STATE_IS: Readonly<Record<WorkState, string>> = {
  // Each half is the predicate of an index.
  queued: `(w.state = 'queued' and not w.key_blocked or w.state = 'queued' and w.key_blocked)`,
  scheduled: `w.state = 'scheduled'`,
  claimed: `w.state = 'claimed'`,
  running: `w.state = 'running'`,
  waiting: `w.state = 'waiting'`,
  completed: `w.state = 'completed' and w.resolved_at is not null`,
  dead: `w.state = 'dead' and w.resolved_at is not null`,
  merged: `w.state = 'merged' and w.resolved_at is not null`,
  cancelled: `w.state = 'cancelled' and w.resolved_at is not null`,
};

/** True for every item, in the words of the same predicates: the indexes that know the faculty are then used together. */
const ANY_STATE = `(${STATE_IS.queued} or ${STATE_IS.scheduled} or w.state in ('claimed', 'running') or ${STATE_IS.waiting} or w.resolved_at is not null)`;

const selected = (condition: string) =>
  `select id, faculty, state, ${LISTED}, priority, attempts, turns, ${itemCost('cost_usd')}, parent_id, merged_into,
          run_at, created_at, resolved_at
     from animus.work_items w where ${condition} order by id desc limit $1`;
const listed = (condition: string) => selected(`${condition} and w.id < $2::uuid`);

const byState = (more: string) => ({
  ...(Object.fromEntries(
    Object.entries(STATE_IS).map(([state, condition]) => [state, listed(condition + more)]),
  ) as Readonly<Record<WorkState, string>>),
  queued: selected(`w.id = any (array(select animus.newest_queued($1, $2::uuid, ${more === '' ? 'null' : '$3'})))`),
});

const ALL = listed('true');
const CHILDREN = listed(
  'w.parent_id = $3::uuid and ($4::text is null or w.state = $4) and ($5::text is null or w.faculty = $5)',
);
const OF_STATE = byState('');
const OF_STATE_AND_FACULTY = byState(' and w.faculty = $3');
const OF_FACULTY = listed(`w.faculty = $3 and ${ANY_STATE}`);

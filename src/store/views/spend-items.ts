/** Reads which work cost most and which took longest: items that still exist, by the time of their submission. */

import type { WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import { knownCost } from './known-cost.ts';
import type { SpendPeriod } from './spend.ts';

/** A work item with what it cost and how long it took. */
export interface SpendItem {
  readonly id: string;
  readonly faculty: string;
  readonly state: WorkState;
  readonly description: string;
  /** Null: submitted before this was recorded. */
  readonly submitted_by: string | null;
  readonly turns: number;
  /** Null: the cost of no call is known. */
  readonly usd: number | null;
  /** Calls whose cost is not known; `usd` is without them. */
  readonly unpriced_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly created_at: Date;
  readonly resolved_at: Date | null;
  /** From when it was due to its end, or until now; in milliseconds. */
  readonly elapsed_ms: number;
  /** In which it was being worked on, over all attempts; the rest it waited. */
  readonly worked_ms: number;
}

/** A root item with the sums of its whole tree. */
export interface SpendRoot {
  readonly id: string;
  readonly faculty: string;
  readonly state: WorkState;
  readonly description: string;
  readonly submitted_by: string | null;
  readonly items: number;
  readonly turns: number;
  /** Null: the cost of no call is known. */
  readonly usd: number | null;
  /** Calls whose cost is not known; `usd` is without them. */
  readonly unpriced_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly created_at: Date;
  readonly resolved_at: Date | null;
}

export type ItemOrder = 'dearest' | 'slowest';

/** Of all work, or of what the actor may see, in the transaction of a gateway. */
export type SpendOf = 'all' | 'visible';

/** The items that were submitted in a period and claimed at least once, in order. Submitted means: by their ids, which begin with the time. */
export async function readSpendItems(
  db: Queryable,
  order: ItemOrder,
  period: SpendPeriod,
  limit: number,
  of: SpendOf = 'all',
): Promise<SpendItem[]> {
  return db.query<SpendItem>((order === 'dearest' ? DEAREST : SLOWEST)[of], [...idsOf(period), limit]);
}

/** The trees whose root was submitted in a period, the dearest first. */
export async function readSpendRoots(
  db: Queryable,
  period: SpendPeriod,
  limit: number,
  of: SpendOf = 'all',
): Promise<SpendRoot[]> {
  return db.query<SpendRoot>(ROOTS[of], [...idsOf(period), limit]);
}

/** The ids of a period: from the first, up to the second and without it. */
function idsOf({ since, until }: SpendPeriod): readonly [string, string] {
  return [firstIdOf(since), until === null ? 'ffffffff-ffff-ffff-ffff-ffffffffffff' : firstIdOf(until)];
}

/** The least version 7 id of a UTC day. */
function firstIdOf(day: string): string {
  const hex = Math.max(0, Date.parse(`${day}T00:00:00Z`))
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** What is read, and which items were claimed at least once. */
const ALL = { work: 'work_items', foci: 'foci', claimed: 'w.lease_token is not null' } as const;
const VISIBLE = { work: 'visible_work', foci: 'visible_foci', claimed: '(w.attempts > 0 or w.turns > 0)' } as const;

const items = (order: string, { work, foci, claimed }: typeof ALL | typeof VISIBLE) => `
  select w.id, w.faculty, w.state, left(w.description, 10000) as description, w.submitted_by, w.turns, ${knownCost('usd', 'w.cost_usd', 'w.unpriced_calls')},
         w.input_tokens::float8 as input_tokens, w.output_tokens::float8 as output_tokens, w.created_at, w.resolved_at,
         (extract(epoch from w.elapsed) * 1000)::float8 as elapsed_ms, worked.ms as worked_ms
    from (select w.*, coalesce(w.resolved_at, n.now) - greatest(w.created_at, w.run_at) as elapsed, n.now
            from (select animus.now() as now offset 0) n, animus.${work} w
           where w.id >= $1::uuid and w.id < $2::uuid and ${claimed}
           order by ${order} desc, w.id desc limit $3) w
    cross join lateral (
      select coalesce(sum(extract(epoch from coalesce(f.ended_at, w.now) - f.started_at) * 1000), 0)::float8 as ms
        from animus.${foci} f where f.work_item_id = w.id) worked
   order by w.${order} desc, w.id desc`;

const DEAREST = { all: items('cost_usd', ALL), visible: items('cost_usd', VISIBLE) };
const SLOWEST = { all: items('elapsed', ALL), visible: items('elapsed', VISIBLE) };

// Most roots have no children. Those of the others are added up alone, from an index that contains nothing else.
const roots = ({ work }: typeof ALL | typeof VISIBLE) => `
  select t.id, t.faculty, t.state, left(t.description, 10000) as description, t.submitted_by, (1 + coalesce(t.more_items, 0))::int as items,
         (t.turns + coalesce(t.more_turns, 0))::int as turns, ${knownCost('usd', 't.usd', 't.unpriced')},
         (t.input_tokens + coalesce(t.more_input, 0))::float8 as input_tokens,
         (t.output_tokens + coalesce(t.more_output, 0))::float8 as output_tokens, t.created_at, t.resolved_at
    from (select r.*, c.*, r.cost_usd + coalesce(c.more_usd, 0) as usd,
                 r.unpriced_calls + coalesce(c.more_unpriced, 0) as unpriced
            from animus.${work} r
            left join (select root_id as tree, count(*) as more_items, sum(turns) as more_turns, sum(cost_usd) as more_usd, sum(unpriced_calls) as more_unpriced,
                              sum(input_tokens) as more_input, sum(output_tokens) as more_output
                         from animus.${work} where depth > 0 and root_id >= $1::uuid and root_id < $2::uuid group by root_id) c on c.tree = r.id
           where r.id >= $1::uuid and r.id < $2::uuid and r.depth = 0
           order by usd desc, r.id desc limit $3) t
   order by t.usd desc, t.id desc`;
const ROOTS = { all: roots(ALL), visible: roots(VISIBLE) };

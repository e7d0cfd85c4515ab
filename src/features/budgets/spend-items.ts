/** Reads which work cost most and which took longest: items that still exist, by the time of their submission. */
import { costParts, tokenCounts } from '../../operations/cost-rows.ts';
import { type RowOf, row } from '../../operations/row.ts';
import type { Schemas } from '../../operations/schemas.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { itemCost, itemTokens, knownCost, knownTokens } from '../../store/views/known-cost.ts';
import type { SpendOf, SpendPeriod } from './spend.ts';

const costly = (s: Schemas) => ({
  id: s.id(),
  faculty: s.z.string(),
  state: s.workState(),
  description: s.z.string(),
  submitted_by: s.z.string().nullable(),
  turns: s.z.int(),
  usd: s.z.number().nullable().describe('null: the cost of no call is known'),
  ...costParts(s),
  ...tokenCounts(s),
  created_at: s.time(),
  resolved_at: s.time().nullable(),
});

/** A work item with what it cost and how long it took, over all attempts; the rest of the time it waited. */
export const spendItem = row((s) =>
  s.z.object({
    ...costly(s),
    elapsed_ms: s.z.number().describe('from its submission to its end, or until now'),
    worked_ms: s.z.number().describe('in which it was worked on'),
  }),
);
export type SpendItem = RowOf<typeof spendItem>;

/** A root item with the sums of its whole tree. */
export const spendRoot = row((s) => s.z.object({ ...costly(s), items: s.z.int() }));
export type SpendRoot = RowOf<typeof spendRoot>;

export type ItemOrder = 'dearest' | 'slowest';

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
  select w.id, w.faculty, w.state, left(w.description, 10000) as description, w.submitted_by, w.turns, ${itemCost('usd', 'w.')},
         ${itemTokens('w.')}, w.created_at, w.resolved_at,
         (extract(epoch from w.elapsed) * 1000)::float8 as elapsed_ms, worked.ms as worked_ms
    from (select w.*, coalesce(w.resolved_at, n.now) - w.created_at as elapsed, w.cost_usd + w.lost_usd as cost, n.now
            from (select animus.now() as now offset 0) n, animus.${work} w
           where w.id >= $1::uuid and w.id < $2::uuid and ${claimed}
           order by ${order} desc, w.id desc limit $3) w
    cross join lateral (
      select coalesce(sum(extract(epoch from coalesce(f.ended_at, w.now) - f.started_at) * 1000), 0)::float8 as ms
        from animus.${foci} f where f.work_item_id = w.id) worked
   order by w.${order} desc, w.id desc`;

const DEAREST = { all: items('cost', ALL), visible: items('cost', VISIBLE) };
const SLOWEST = { all: items('elapsed', ALL), visible: items('elapsed', VISIBLE) };

// Most roots have no children. Those of the others are added up alone, from an index that contains nothing else.
const ADDED = [
  'cost_usd',
  'lost_usd',
  'estimated_usd',
  'unpriced_calls',
  'uncounted_calls',
  'calls',
  'lost_requests',
  'turns',
  'input_tokens',
  'output_tokens',
];
const COST = {
  usd: 't.cost_usd + t.lost_usd',
  unpriced: 't.unpriced_calls',
  calls: 't.calls + t.lost_requests',
  estimated: 't.estimated_usd',
  lost: 't.lost_usd',
};
const roots = ({ work }: typeof ALL | typeof VISIBLE) => `
  select t.id, t.faculty, t.state, left(t.description, 10000) as description, t.submitted_by, t.items::int as items, t.turns::int as turns,
         ${knownCost('usd', COST)}, ${knownTokens('t.input_tokens', 't.output_tokens', 't.uncounted_calls', 't.calls')}, t.created_at, t.resolved_at
    from (select r.id, r.faculty, r.state, r.description, r.submitted_by, r.created_at, r.resolved_at, 1 + coalesce(c.items, 0) as items,
                 ${ADDED.map((name) => `r.${name} + coalesce(c.${name}, 0) as ${name}`).join(', ')}
            from animus.${work} r
            left join (select root_id as tree, count(*) as items, ${ADDED.map((name) => `sum(${name}) as ${name}`).join(', ')}
                         from animus.${work} where depth > 0 and root_id >= $1::uuid and root_id < $2::uuid group by root_id) c on c.tree = r.id
           where r.id >= $1::uuid and r.id < $2::uuid and r.depth = 0
           order by r.cost_usd + r.lost_usd + coalesce(c.cost_usd + c.lost_usd, 0) desc, r.id desc limit $3) t
   order by t.cost_usd + t.lost_usd desc, t.id desc`;
const ROOTS = { all: roots(ALL), visible: roots(VISIBLE) };

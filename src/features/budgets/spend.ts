/** Reads what model calls have cost. Days are UTC. Rows keep the names of their columns, which `animus spend --json` prints as they are. */

import { costParts, tokenCounts } from '../../operations/cost-rows.ts';
import { type RowOf, row } from '../../operations/row.ts';
import type { Schemas } from '../../operations/schemas.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { knownCost, knownTokens } from '../../store/views/known-cost.ts';

/** What sums can be grouped by, in the order of the columns. */
export const SPEND_GROUPS = [
  'day',
  'month',
  'faculty',
  'provider',
  'model',
  'operation',
  'submitter',
  'source',
] as const;
export type SpendGroup = (typeof SPEND_GROUPS)[number];

/** Calls from the day `since` to the day before `until`, as `2026-03-01`; null: no bound. */
export interface SpendPeriod {
  readonly since: string;
  readonly until: string | null;
}

/** How many days are shown by default, the last one included. */
export const DEFAULT_SPEND_DAYS = 30;

/** The first day of a period without a `since`: it ends before `until`, a day such as 2026-03-01, or with today. */
export function defaultSince(until: string | null, nowMs: number): string {
  const end = until === null ? nowMs + DAY_MS : Date.parse(until);
  return new Date(end - DEFAULT_SPEND_DAYS * DAY_MS).toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;

/** What is told of a sum of model calls. `usd`: with what lost requests may have cost. */
const sum = (s: Schemas) => ({
  usd: s.z.number().nullable().describe('null: the cost of no call is known'),
  ...costParts(s),
  ...tokenCounts(s),
  calls: s.z.number(),
  lost_requests: s.z.number().describe('requests that returned nothing, which are not calls'),
  code_runs: s.z.number().describe('runs of code without a model, which are not calls'),
});

/** A sum with the values of its groups. A column that was not asked for is null; so is an operation, a submitter or a source that is not known. */
export const spendRow = row((s) => {
  const group = s.z.string().nullable();
  return s.z.object({
    day: group,
    month: group,
    faculty: group,
    provider: group,
    model: group,
    operation: group,
    submitter: group,
    source: group,
    ...sum(s),
  });
});
export type SpendRow = RowOf<typeof spendRow>;

/** The sum of all groups, with those beyond the limit of a list. */
export const spendTotal = row((s) => s.z.object({ ...sum(s), groups: s.z.int() }));

/** The sums of a period: at most `limit` rows, the newest day or month first, then the dearest. */
export interface Spend {
  readonly rows: readonly SpendRow[];
  readonly total: RowOf<typeof spendTotal>;
  /** From when on operations and submitters are recorded. */
  readonly details_since: Date | null;
}

/** Of all work, or of what the actor may see, in the transaction of a gateway. */
export type SpendOf = 'all' | 'visible';

/** Adds up the calls of a period. */
export async function readSpend(
  db: Queryable,
  by: readonly SpendGroup[],
  { since, until }: SpendPeriod,
  limit: number,
  of: SpendOf = 'all',
): Promise<Spend> {
  // The first row is the total: it has no groups of its own. That of a group is in 0 groups.
  const [total, ...rows] = await db.query<SpendRow & RowOf<typeof spendTotal>>(SUMS[of], [by, since, until, limit]);
  const [setting] = await db.query<{ since: Date }>(
    `select (value #>> '{}')::timestamptz as since from animus.settings where key = 'spend_details_since'`,
  );
  return {
    rows: rows.map(({ groups: _, ...row }) => row),
    total: totalOf(total!),
    details_since: setting?.since ?? null,
  };
}

function totalOf(row: SpendRow & RowOf<typeof spendTotal>): RowOf<typeof spendTotal> {
  const { day: _day, month: _month, faculty: _faculty, provider: _provider, model: _model, ...rest } = row;
  const { operation: _operation, submitter: _submitter, source: _source, ...total } = rest;
  return total;
}

const ADDED = [
  'usd',
  'estimated_usd',
  'lost_usd',
  'unpriced_calls',
  'uncounted_calls',
  'input_tokens',
  'output_tokens',
  'calls',
  'lost_requests',
  'code_runs',
];
const COST = {
  usd: 'usd',
  unpriced: 'unpriced_calls',
  calls: 'calls + lost_requests',
  estimated: 'estimated_usd',
  lost: 'lost_usd',
};
const TEXTS = SPEND_GROUPS.filter((group) => group !== 'day' && group !== 'month');

const sumsOf = (relation: 'spend_details' | 'visible_spend') => `
  with grouped as (
    select case when 'day' = any ($1::text[]) then day end as day,
           case when 'month' = any ($1) then date_trunc('month', day::timestamp)::date end as month,
           ${TEXTS.map((group) => `case when '${group}' = any ($1) then ${group} end as ${group}`).join(', ')},
           ${ADDED.map((name) => `sum(${name}) as ${name}`).join(', ')}
      from animus.${relation}
     where day >= $2::date and day < coalesce($3::date, 'infinity')
     group by ${SPEND_GROUPS.map((_, at) => at + 1).join(', ')}),
  ordered as (
    select row_number() over (order by day desc nulls last, month desc nulls last, usd desc, ${TEXTS.join(', ')}) as nth, 0 as groups, *
      from grouped order by nth limit $4)
  select day::text as day, to_char(month, 'YYYY-MM') as month, ${TEXTS.join(', ')}, ${knownCost('usd', COST)},
         ${knownTokens('input_tokens', 'output_tokens', 'uncounted_calls', 'calls')}, calls::float8 as calls,
         lost_requests::float8 as lost_requests, code_runs::float8 as code_runs, groups
    from (
      select 0 as nth, count(*)::int as groups, null::date as day, null::date as month, ${TEXTS.map((group) => `null as ${group}`).join(', ')},
             ${ADDED.map((name) => `coalesce(sum(${name}), 0) as ${name}`).join(', ')}
        from grouped
      union all
      select nth, groups, day, month, ${TEXTS.join(', ')}, ${ADDED.join(', ')} from ordered) told
   order by nth`;

const SUMS = { all: sumsOf('spend_details'), visible: sumsOf('visible_spend') };

/** Reads what model calls have cost. Days are UTC. Rows keep the names of their columns, which `animus spend --json` prints as they are. */

import type { Queryable } from '../sql/database.ts';
import { knownCost } from './known-cost.ts';

/** What sums can be grouped by, in the order of the columns. */
export const SPEND_GROUPS = ['day', 'month', 'faculty', 'model', 'operation', 'submitter'] as const;
export type SpendGroup = (typeof SPEND_GROUPS)[number];

/** Calls from the day `since` to the day before `until`, as `2026-03-01`; null: no bound. */
export interface SpendPeriod {
  readonly since: string;
  readonly until: string | null;
}

/** A sum of model calls. */
export interface SpendSum {
  /** Null: the cost of no call is known. */
  readonly usd: number | null;
  /** Calls whose cost is not known; `usd` is without them. */
  readonly unpriced_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly calls: number;
  /** Of code without a model. */
  readonly code_runs: number;
}

/** A sum with the values of its groups. A column that was not asked for is null; so is an operation or a submitter that is not known. */
export interface SpendRow extends SpendSum {
  readonly day: string | null;
  readonly month: string | null;
  readonly faculty: string | null;
  readonly model: string | null;
  readonly operation: string | null;
  readonly submitter: string | null;
}

/** The sums of a period: at most `limit` rows, the newest day or month first, then the dearest. */
export interface Spend {
  readonly rows: readonly SpendRow[];
  /** Of all groups, with those beyond the limit. */
  readonly total: SpendSum & { readonly groups: number };
  /** From when on operations and submitters are recorded. */
  readonly details_since: Date | null;
}

/** Adds up the calls of a period. */
export function readSpend(
  db: Queryable,
  by: readonly SpendGroup[],
  period: SpendPeriod,
  limit: number,
): Promise<Spend> {
  return addUp(db, SUMS, by, period, limit);
}

/** The same of the work that the actor may see, in the transaction of a gateway. */
export function readVisibleSpend(
  tx: Queryable,
  by: readonly SpendGroup[],
  period: SpendPeriod,
  limit: number,
): Promise<Spend> {
  return addUp(tx, VISIBLE_SUMS, by, period, limit);
}

async function addUp(
  db: Queryable,
  sums: string,
  by: readonly SpendGroup[],
  { since, until }: SpendPeriod,
  limit: number,
): Promise<Spend> {
  const found = await db.query<SpendRow & Totals>(sums, [by, since, until, limit]);
  const [setting] = await db.query<{ since: Date }>(
    `select (value #>> '{}')::timestamptz as since from animus.settings where key = 'spend_details_since'`,
  );
  const [first] = found;
  const total = first
    ? {
        usd: first.all_usd,
        unpriced_calls: first.all_unpriced,
        input_tokens: first.all_input,
        output_tokens: first.all_output,
        calls: first.all_calls,
        code_runs: first.all_runs,
      }
    : { usd: 0, unpriced_calls: 0, input_tokens: 0, output_tokens: 0, calls: 0, code_runs: 0 };
  return {
    rows: found.map(withoutTotals),
    total: { ...total, groups: first?.all_groups ?? 0 },
    details_since: setting?.since ?? null,
  };
}

function withoutTotals(row: SpendRow & Totals): SpendRow {
  const { day, month, faculty, model, operation, submitter, usd, unpriced_calls, input_tokens } = row;
  const { output_tokens, calls, code_runs } = row;
  const sums = { usd, unpriced_calls, input_tokens, output_tokens, calls, code_runs };
  return { day, month, faculty, model, operation, submitter, ...sums };
}

interface Totals {
  readonly all_usd: number | null;
  readonly all_unpriced: number;
  readonly all_input: number;
  readonly all_output: number;
  readonly all_calls: number;
  readonly all_runs: number;
  readonly all_groups: number;
}

const sumsOf = (relation: 'spend_details' | 'visible_spend') => `
  select day::text as day, to_char(month, 'YYYY-MM') as month, faculty, model, operation, submitter, ${knownCost('usd', 'usd', 'unpriced')}, input_tokens::float8 as input_tokens,
         output_tokens::float8 as output_tokens, calls::float8 as calls, code_runs::float8 as code_runs,
         (case when sum(unpriced) over () > 0 then nullif(sum(usd) over (), 0) else sum(usd) over () end)::float8 as all_usd,
         (sum(unpriced) over ())::float8 as all_unpriced, (sum(input_tokens) over ())::float8 as all_input,
         (sum(output_tokens) over ())::float8 as all_output, (sum(calls) over ())::float8 as all_calls, (sum(code_runs) over ())::float8 as all_runs, (count(*) over ())::int as all_groups
    from (select case when 'day' = any ($1::text[]) then day end as day,
                 case when 'month' = any ($1) then date_trunc('month', day::timestamp)::date end as month,
                 case when 'faculty' = any ($1) then faculty end as faculty, case when 'model' = any ($1) then model end as model,
                 case when 'operation' = any ($1) then operation end as operation,
                 case when 'submitter' = any ($1) then submitter end as submitter,
                 sum(usd) as usd, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens, sum(calls) as calls,
                 sum(code_runs) as code_runs, sum(unpriced_calls) as unpriced
            from animus.${relation}
           where day >= $2::date and day < coalesce($3::date, 'infinity')
           group by 1, 2, 3, 4, 5, 6) grouped
   order by grouped.day desc nulls last, grouped.month desc nulls last, grouped.usd desc, faculty, model, operation, submitter
   limit $4`;

const SUMS = sumsOf('spend_details');
const VISIBLE_SUMS = sumsOf('visible_spend');

/** The sums by hand as animus.costs and JSON say them. */
import type { Queryable } from '../../../src/store/sql/database.ts';
import { decimal, dollars, type Open, type Sums } from './hand-ledger.ts';

/** As animus.costs answers it. */
export function told(sums: Sums, open: readonly Open[]) {
  return {
    usd: decimal(sums.usd),
    recorded_usd: decimal(sums.usd - sums.estimated - sums.lost),
    estimated_usd: decimal(sums.estimated),
    lost_usd: decimal(sums.lost),
    held_usd: decimal(open.reduce((sum, { usd }) => sum + (usd ?? 0n), 0n)),
    calls: sums.calls,
    lost_requests: sums.lostRequests,
    unpriced_calls: sums.unpriced,
    uncounted_calls: sums.uncounted,
    input_tokens: sums.input,
    output_tokens: sums.output,
    assumed_tokens: sums.assumed,
    held_tokens: open.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** What animus.costs answers; `day`: of this day alone. */
export async function costs(
  db: Queryable,
  scope: string,
  subject: string,
  day: string | null = null,
): Promise<Record<string, unknown>> {
  const [row] = await db.query<{ costs: string }>(
    'select to_jsonb(c)::text as costs from animus.costs($1, $2, $3::date, $3::date + 1) c',
    [scope, subject, day],
  );
  // As text: a number of JavaScript may not be exact.
  const fields = [...row!.costs.matchAll(/"(\w+)": (-?[\d.]+)/g)].map(([, name, value]) => [
    name!,
    name!.endsWith('_usd') || name === 'usd' ? exact(value!) : Number(value),
  ]);
  return Object.fromEntries(fields);
}

/** An amount of SQL with twelve decimals. */
export function exact(value: string): string {
  const [whole, digits = ''] = value.split('.');
  return `${whole}.${digits.replace(/0+$/, '').padEnd(12, '0')}`;
}

/** As JSON says it, where some cost and some count is known, or there is no call. */
export function inJson(as: 'cost_usd' | 'usd', sums: Sums) {
  const isCounted = sums.uncounted === 0 || sums.uncounted < sums.calls || sums.input + sums.output > 0;
  const isKnown = sums.unpriced === 0 || sums.unpriced < sums.calls + sums.lostRequests || sums.usd !== 0n;
  return {
    [as]: isKnown ? dollars(sums.usd) : null,
    estimated_usd: dollars(sums.estimated),
    lost_usd: dollars(sums.lost),
    unpriced_calls: sums.unpriced,
    uncounted_calls: sums.uncounted,
    input_tokens: isCounted ? sums.input : null,
    output_tokens: isCounted ? sums.output : null,
  };
}

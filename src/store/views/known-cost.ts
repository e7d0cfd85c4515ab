/**
 * The columns of what calls have cost, in USD: the sum under the name `as`, null where calls are in it and the cost of none is known, and
 * `unpriced_calls`, how many calls the sum is without.
 */
export function knownCost(as: 'cost_usd' | 'usd', usd: string, unpriced: string): string {
  return `(case when ${unpriced} > 0 then nullif(${usd}, 0) else ${usd} end)::float8 as ${as}, (${unpriced})::float8 as unpriced_calls`;
}

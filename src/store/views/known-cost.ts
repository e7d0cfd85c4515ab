/**
 * The columns of what calls have cost, in USD, beside each other everywhere: the sum under the name `as`, with lost requests, null where calls are in it and
 * the cost of none is known; `unpriced_calls`, how many calls and lost requests the sum does not include; and two parts of the sum, `estimated_usd` and `lost_usd`.
 * The other arguments are SQL. `calls`: with lost requests.
 */
export interface CostColumns {
  readonly usd: string;
  readonly unpriced: string;
  readonly calls: string;
  readonly estimated: string;
  readonly lost: string;
}

/** What is told of a sum of costs; `unpriced_calls` says what it is without. */
export interface CostParts {
  /** Calls and lost requests whose cost is not known; the sum is without them. */
  readonly unpriced_calls: number;
  /** Of the sum: answers whose tokens the provider did not count. */
  readonly estimated_usd: number;
  /** Of the sum: requests that returned nothing, and may have cost that. */
  readonly lost_usd: number;
}

export function knownCost(as: 'cost_usd' | 'usd', { usd, unpriced, calls, estimated, lost }: CostColumns): string {
  return `(case when ${unpriced} > 0 and ${unpriced} >= ${calls} then nullif(${usd}, 0) else ${usd} end)::float8 as ${as}, (${unpriced})::float8 as unpriced_calls,
    (${estimated})::float8 as estimated_usd, (${lost})::float8 as lost_usd`;
}

/** The same of the row of a work item, whose columns begin with `w`, such as `w.`. */
export function itemCost(as: 'cost_usd' | 'usd', w = ''): string {
  return knownCost(as, {
    usd: `${w}cost_usd + ${w}lost_usd`,
    unpriced: `${w}unpriced_calls`,
    calls: `${w}calls + ${w}lost_requests`,
    estimated: `${w}estimated_usd`,
    lost: `${w}lost_usd`,
  });
}

/** What is told of tokens: null where no call of the sum was counted. */
export interface TokenCounts {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** Calls whose tokens nobody counted; the sums are without them. */
  readonly uncounted_calls: number;
}

/** The columns of `TokenCounts`; the arguments are SQL. */
export function knownTokens(input: string, output: string, uncounted: string, calls: string): string {
  const known = (tokens: string) =>
    `(case when ${uncounted} > 0 and ${uncounted} >= ${calls} then nullif(${tokens}, 0) else ${tokens} end)::float8`;
  return `${known(input)} as input_tokens, ${known(output)} as output_tokens, (${uncounted})::float8 as uncounted_calls`;
}

/** The same of the row of a work item. */
export function itemTokens(w = ''): string {
  return knownTokens(`${w}input_tokens`, `${w}output_tokens`, `${w}uncounted_calls`, `${w}calls`);
}

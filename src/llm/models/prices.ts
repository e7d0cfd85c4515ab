/** What tokens cost, and when. */

/** USD per million tokens. Tokens without a price of their own cost as much as plain input. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** For a cache entry with a TTL of five minutes (Anthropic). */
  readonly cacheWrite: number;
}

/** The prices of a call; null: unknown. */
export interface Rates {
  readonly prices: Prices | null;
  /** Other prices, for every token of a call whose prompt is longer. */
  readonly longPrompt: { readonly aboveTokens: number; readonly prices: Prices } | null;
}

/** Other prices from a day on, or during some hours of each day. All times are UTC. */
export interface PriceChange extends Rates {
  /** ISO date; from its midnight on. */
  readonly from?: string;
  /** `HH:MM`, from the first one on and before the second one; over midnight where the second one is earlier. */
  readonly daily?: readonly [string, string];
}

/** Prices with what changes them: of the changes that apply, the last one counts. */
export interface PricePlan extends Rates {
  readonly priceChanges: readonly PriceChange[];
}

/** The prices of a call at this moment. */
export function ratesAt({ prices, longPrompt, priceChanges }: PricePlan, at: Date): Rates {
  return priceChanges.findLast((change) => applies(change, at)) ?? { prices, longPrompt };
}

const DAY_MS = 24 * 3_600_000;

/** All prices that a call can meet that begins now and ends within a day. */
export function ratesWithinADay(plan: PricePlan, now: Date): readonly Rates[] {
  const changes = plan.priceChanges.flatMap(({ from, daily }) => [
    ...(from === undefined ? [] : [Date.parse(from)]),
    ...(daily ?? []).flatMap((time) => [0, DAY_MS].map((later) => midnight(now) + later + ofDay(time))),
  ]);
  const soon = changes.filter((at) => at > now.getTime() && at <= now.getTime() + DAY_MS);
  return [now, ...soon.map((at) => new Date(at))].map((at) => ratesAt(plan, at));
}

function applies({ from, daily }: PriceChange, at: Date): boolean {
  if (from !== undefined && at.getTime() < Date.parse(from)) return false;
  if (daily === undefined) return true;
  const [start, end] = daily.map(ofDay) as [number, number];
  const time = at.getTime() - midnight(at);
  return start <= end ? start <= time && time < end : start <= time || time < end;
}

function midnight(at: Date): number {
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
}

/** Milliseconds since midnight. */
function ofDay(time: string): number {
  return Date.parse(`1970-01-01T${time}:00Z`);
}

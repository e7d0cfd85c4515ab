/** What calls cost. */
import type { CacheTtl, ServiceTier } from '../../core/config/providers/model-words.ts';
import type { Usage } from '../client.ts';
import type { ModelInfo } from './model-info.ts';
import { type PricePlan, type Rates, ratesAt, ratesWithinADay } from './prices.ts';

/** What the request asked for that changes its price. */
export interface PriceTerms {
  readonly serviceTier?: ServiceTier;
  readonly cacheTtl?: CacheTtl;
}

/**
 * Prices of service tiers, relative to the usual ones. OpenAI's flex costs half. Its priority costs 1.7 to 2.5 times as
 * much, by model; the highest is assumed, because a cost that is too low would pass a budget.
 */
const TIER_FACTORS: Readonly<Partial<Record<ServiceTier, number>>> = { flex: 0.5, priority: 2.5 };

/** Anthropic: a cache entry costs twice the input price if it lives for an hour, 1.25 times if for five minutes. */
const HOUR_FACTOR = 2 / 1.25;

/** The cost of a call in USD, at the prices of this moment; null without prices. */
export function costUsd(plan: PricePlan, usage: Usage, terms: PriceTerms = {}, at: Date = new Date()): number | null {
  return costAt(ratesAt(plan, at), usage, terms);
}

/** The maximum cost of a call in USD, for reservations: each input token at its highest price within a day, and a full-length answer. */
export function maxCostUsd(
  info: ModelInfo,
  inputTokens: number,
  maxTokens: number,
  terms: PriceTerms = {},
  now: Date = new Date(),
): number | null {
  const written = { input: inputTokens, output: maxTokens, cacheRead: 0, cacheWrite: inputTokens, reasoning: 0 };
  const costs = ratesWithinADay(info, now).flatMap((rates) => [
    costAt(rates, written, terms),
    costAt(rates, { ...written, cacheWrite: 0 }, terms),
  ]);
  return costs.includes(null) ? null : Math.max(...costs.map(Number));
}

function costAt(
  { prices: usual, longPrompt }: Rates,
  usage: Usage,
  { serviceTier = 'auto', cacheTtl }: PriceTerms,
): number | null {
  const prices = longPrompt && usage.input > longPrompt.aboveTokens ? longPrompt.prices : usual;
  if (!prices) return null;
  const plain = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const micro =
    plain * prices.input +
    usage.cacheRead * prices.cacheRead +
    usage.cacheWrite * prices.cacheWrite * (cacheTtl === '1h' ? HOUR_FACTOR : 1) +
    usage.output * prices.output;
  return exactUsd((micro * (TIER_FACTORS[serviceTier] ?? 1)) / 1_000_000);
}

/** An amount without the last digit of its binary fraction, which is noise: prices have a few digits, and so have sums of them. */
export function exactUsd(amount: number): number {
  return Number(amount.toPrecision(15));
}

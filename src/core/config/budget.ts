/** Limits of what work may cost, as people write them: `[faculty.budget]` and `[budget]`. */
import { count, decimal, oneOf } from '../toml/fields.ts';

/** What is limited. `root`: a work item without a parent, with all that it spawns. */
export type BudgetScope = 'item' | 'root' | 'faculty' | 'appliance';
/** UTC. */
export type BudgetPeriod = 'none' | 'day' | 'month';
export type BudgetUnit = 'usd' | 'tokens';

/** One limit. */
export interface BudgetLimit {
  readonly scope: BudgetScope;
  readonly period: BudgetPeriod;
  readonly unit: BudgetUnit;
  readonly amount: number;
  /** As written, such as `max_usd_per_day`. */
  readonly key: string;
}

/** The limits of a faculty, or of the whole appliance. */
export interface Budget {
  /** Empty: none. */
  readonly limits: readonly BudgetLimit[];
  /** What a work item does that cannot begin its next turn: wait for an operator, or the next period; or end as dead. */
  readonly onExceeded: 'wait' | 'die';
}

export const NO_BUDGET: Budget = Object.freeze({ limits: Object.freeze([]), onExceeded: 'wait' });

const ITEM_KEYS = {
  max_usd: ['item', 'none', 'usd'],
  max_tokens: ['item', 'none', 'tokens'],
  max_usd_per_root: ['root', 'none', 'usd'],
  max_tokens_per_root: ['root', 'none', 'tokens'],
} as const;

const PERIOD_KEYS = {
  max_usd_per_day: ['day', 'usd'],
  max_usd_per_month: ['month', 'usd'],
  max_tokens_per_day: ['day', 'tokens'],
  max_tokens_per_month: ['month', 'tokens'],
} as const;

const usd = () => decimal(0.000001, 100_000_000).optional();
const tokens = () => count(1, 1_000_000_000_000).optional();

/** The fields of `[budget]`. */
export const applianceBudgetFields = () => ({
  max_usd_per_day: usd(),
  max_usd_per_month: usd(),
  max_tokens_per_day: tokens(),
  max_tokens_per_month: tokens(),
  on_exceeded: oneOf(['wait', 'die']).default('wait'),
});

/** An amount in plain decimals, however small: `0.00000045`, not `4.5e-7`. */
export function plainAmount(amount: number): string {
  return PLAIN.format(amount);
}

const PLAIN = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20, useGrouping: false });

/** The keys of `[budget]` that are limits, in the order in which they are shown. */
export const APPLIANCE_LIMITS = Object.keys(PERIOD_KEYS);

/** The amount of the limit with this key; null if there is none. */
export function limitOf({ limits }: Budget, key: string): number | null {
  return limits.find((limit) => limit.key === key)?.amount ?? null;
}

/** The fields of `[faculty.budget]`. */
export const facultyBudgetFields = () => ({
  max_usd: usd(),
  max_tokens: tokens(),
  max_usd_per_root: usd(),
  max_tokens_per_root: tokens(),
  ...applianceBudgetFields(),
});

type Written = { readonly [Key in string]?: number | string | undefined } & { readonly on_exceeded: 'wait' | 'die' };

/** The limits of a table. `scope`: what the keys with a period limit. */
export function readBudget(written: Written | undefined, scope: 'faculty' | 'appliance'): Budget {
  if (written === undefined) return NO_BUDGET;
  const limits: BudgetLimit[] = [];
  for (const [key, [of, period, unit]] of Object.entries(ITEM_KEYS)) {
    const value = written[key];
    if (typeof value === 'number') limits.push({ scope: of, period, unit, amount: value, key });
  }
  for (const [key, [period, unit]] of Object.entries(PERIOD_KEYS)) {
    const value = written[key];
    if (typeof value === 'number') limits.push({ scope, period, unit, amount: value, key });
  }
  return Object.freeze({ limits: Object.freeze(limits), onExceeded: written.on_exceeded });
}

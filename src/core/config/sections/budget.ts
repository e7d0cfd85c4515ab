/** Limits of what work may cost, as people write them: `[faculty.budget]` and `[budget]`. */
import type { z } from 'zod';
import { count, decimal, oneOf, table } from '../../toml/fields.ts';
import { camelCase, key, liveKey, settingsOf } from '../../toml/keys.ts';
import { section } from '../source/section.ts';

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

/** What each key limits; without a scope, what its table is for. */
const LIMITS: Readonly<Record<string, { scope?: BudgetScope; period: BudgetPeriod; unit: BudgetUnit }>> = {
  max_usd: { scope: 'item', period: 'none', unit: 'usd' },
  max_tokens: { scope: 'item', period: 'none', unit: 'tokens' },
  max_usd_per_root: { scope: 'root', period: 'none', unit: 'usd' },
  max_tokens_per_root: { scope: 'root', period: 'none', unit: 'tokens' },
  max_usd_per_day: { period: 'day', unit: 'usd' },
  max_usd_per_month: { period: 'month', unit: 'usd' },
  max_tokens_per_day: { period: 'day', unit: 'tokens' },
  max_tokens_per_month: { period: 'month', unit: 'tokens' },
};

const usd = () => decimal(0.000001, 100_000_000).optional();
const tokens = () => count(1, 1_000_000_000_000).optional();
const onExceeded = () => oneOf(['wait', 'die']).default('wait');

/** `[budget]`: limits for everything that all daemons do. */
export const budget = section(
  'budget',
  // biome-ignore format: a key per line
  {
    max_usd_per_day: liveKey(usd(), 'limit for all work in this database per UTC day ([budgets.md](budgets.md))'),
    max_usd_per_month: liveKey(usd(), 'the same per month'),
    max_tokens_per_day: liveKey(tokens(), 'the same in tokens, of prompts and answers, per UTC day'),
    max_tokens_per_month: liveKey(tokens(), 'the same per month'),
    on_exceeded: liveKey(onExceeded(), 'work that cannot begin its next turn waits for an operator or the next period, or ends as dead'),
  },
  {
    whole: true,
    read: (settings) => readBudget(settings, 'appliance'),
    shown: ({ limits }) => Object.fromEntries(limits.map(({ key: name, amount }) => [name, amount])),
  },
);

/** `[faculty.budget]`. */
// biome-ignore format: a key per line
export const facultyBudget = table({
  max_usd: key(usd(), 'limit for each work item'),
  max_tokens: key(tokens(), 'the same in tokens, of prompts and answers'),
  max_usd_per_root: key(usd(), 'limit for each work item without a parent, with all that it spawns'),
  max_tokens_per_root: key(tokens(), 'the same in tokens'),
  max_usd_per_day: key(usd(), 'limit for all work of the faculty per UTC day'),
  max_usd_per_month: key(usd(), 'the same per month'),
  max_tokens_per_day: key(tokens(), 'the same in tokens, per UTC day'),
  max_tokens_per_month: key(tokens(), 'the same per month'),
  on_exceeded: key(onExceeded(), 'work that cannot begin its next turn waits for an operator or the next period, or ends as dead'),
});

/** The limits of a faculty. */
export function readFacultyBudget(written: z.output<typeof facultyBudget> | undefined): Budget {
  return written === undefined ? NO_BUDGET : readBudget(settingsOf(facultyBudget, written), 'faculty');
}

/** `scope`: what the keys with a period limit. */
function readBudget(settings: { readonly onExceeded: Budget['onExceeded'] }, scope: BudgetScope): Budget {
  const amounts: Readonly<Record<string, unknown>> = settings;
  const limits = Object.entries(LIMITS).flatMap(([name, limit]) => {
    const amount = amounts[camelCase(name)];
    return typeof amount === 'number' ? [{ scope, ...limit, amount, key: name }] : [];
  });
  return Object.freeze({ limits: Object.freeze(limits), onExceeded: settings.onExceeded });
}

/** An amount in plain decimals, however small: `0.00000045`, not `4.5e-7`. */
export function plainAmount(amount: number): string {
  plain ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 20, useGrouping: false });
  return plain.format(amount);
}

/** Made when it is needed: the first one of a process takes 10 ms. */
let plain: Intl.NumberFormat | undefined;

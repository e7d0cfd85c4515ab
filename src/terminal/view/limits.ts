/** Limits of what work may cost, as `status`, `work show` and `budget` print them. */
import type { BudgetUnit } from '../../core/config/budget.ts';
import type { BudgetLeft } from '../../store/work/budgets.ts';
import { styled } from './output.ts';
import type { Part } from './part.ts';
import { counted, shortId } from './quantities.ts';

/** `faculty engineer, per day`: whose limit it is, and for how long. */
export function limitName({ scope, subject, period }: Pick<BudgetLeft, 'scope' | 'subject' | 'period'>): string {
  return `${SCOPES[scope](subject)}${period === 'none' ? '' : `, per ${period}`}`;
}

const SCOPES = {
  item: (id) => `item ${shortId(id)}`,
  root: (id) => `root ${shortId(id)} with its descendants`,
  faculty: (name) => `faculty ${name}`,
  appliance: () => 'all work',
} satisfies Readonly<Record<BudgetLeft['scope'], (subject: string) => string>>;

/** A limit, exactly: `$12.50`, `$0.000001`, `12,000 tokens`. What is spent of it is rounded; a limit is not. */
export function limitAmount(amount: number, unit: BudgetUnit): string {
  return unit === 'usd' ? `$${EXACT.format(amount)}` : counted(amount, 'token');
}

const EXACT = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 20,
  useGrouping: false,
});

/** The whole per cent of a limit that are used; all of a limit of nothing. */
export function percentUsed({ used, amount }: Pick<BudgetLeft, 'used' | 'amount'>): number {
  return amount > 0 ? Math.floor((100 * used) / amount) : 100;
}

/** `84 %`, in yellow from 80 %, and in red when nothing is left. */
export function shareUsed(limit: Pick<BudgetLeft, 'used' | 'amount'>): Part {
  const percent = percentUsed(limit);
  return styled(`${percent} %`, percent >= 100 ? 'red' : percent >= 80 ? 'yellow' : 'plain');
}

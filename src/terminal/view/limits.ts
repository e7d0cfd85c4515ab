/** Limits of what work may cost, as `status`, `work show`, `budget` and decisions print them. */
import type { BudgetUnit } from '../../core/config/sections/budget.ts';
import type { DecidedBudget } from '../../operations/decided-budget.ts';
import type { BudgetLeft } from '../../store/work/budgets.ts';
import { styled } from './output.ts';
import type { Part } from './part.ts';
import { age, counted, grouped, shortId } from './quantities.ts';

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
  return unit === 'usd' ? `$${exact(amount)}` : counted(amount, 'token');
}

function exact(amount: number): string {
  return amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 20, useGrouping: false });
}

/** The whole per cent of a limit that are used; all of a limit of nothing. */
export function percentUsed({ used, amount }: Pick<BudgetLeft, 'used' | 'amount'>): number {
  return amount > 0 ? Math.floor((100 * used) / amount) : 100;
}

/** `84 %`, in yellow from 80 %, and in red when nothing is left. */
export function shareUsed(limit: Pick<BudgetLeft, 'used' | 'amount'>): Part {
  const percent = percentUsed(limit);
  return styled(`${percent} %`, percent >= 100 ? 'red' : percent >= 80 ? 'yellow' : 'plain');
}

/** How many items are named. */
const NAMED = 5;

/** `the limit of faculty clerk, per day, is $2.00 now; 3 work items go on: …`; denied, they end. */
export function decidedText(done: 'approved' | 'denied', budget: DecidedBudget): string {
  const { amount, unit, ends, items, waiting } = budget;
  const until = ends === null ? '' : `, for this ${budget.period}, which ends ${age(ends, Date.now())}`;
  const holds =
    amount === null
      ? `no limit of ${limitName(budget)} applies any more`
      : `the limit of ${limitName(budget)} is ${limitAmount(amount, unit)}${done === 'approved' ? ` now${until}` : ' still'}`;
  const verb = done === 'approved' ? ['goes on', 'go on'] : ['ends', 'end'];
  const which = `${counted(items, 'work item')} ${items === 1 ? verb[0] : verb[1]}: ${namesOf(budget)}`;
  const left =
    waiting === 0
      ? ''
      : `; ${counted(waiting, 'work item')} still ${waiting === 1 ? 'waits' : 'wait'} for it: animus inbox`;
  return `${holds}; ${which}${left}`;
}

function namesOf({ work_items: ids, items }: DecidedBudget): string {
  const named = ids.slice(0, NAMED).map(shortId).join(', ');
  return items > NAMED ? `${named} and ${grouped(items - NAMED)} more` : named;
}

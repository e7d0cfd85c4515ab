/** The part of the first message that says what budget is left. */
import { plainAmount } from '../../core/config/sections/budget.ts';
import type { BudgetLeft } from '../../store/work/budgets.ts';

/** One line for each limit that applies. It is recorded with the message, so it does not change when the focus is resumed. */
export function budgetPart(budget: readonly BudgetLeft[]): string {
  return `# Budget\nWhat may be spent on model calls from here on. Your own calls count, at the highest price while they are under way.\n${budget.map(lineOf).join('\n')}`;
}

function lineOf({ scope, subject, unit, period, ends, amount, left }: BudgetLeft): string {
  const until = ends === null ? '' : `, until ${ends.slice(0, 10)} 00:00 UTC`;
  return `- ${OF[scope](subject)}${PERIOD[period]}: ${plainAmount(left)} of ${plainAmount(amount)} ${unit === 'usd' ? 'USD' : 'tokens'} left${until}`;
}

const OF: Readonly<Record<BudgetLeft['scope'], (subject: string) => string>> = {
  item: () => 'this work item',
  root: () => 'the work that this item belongs to, all of it together',
  faculty: (subject) => `all work of faculty ${subject}`,
  appliance: () => 'all work here',
};

const PERIOD: Readonly<Record<BudgetLeft['period'], string>> = {
  none: '',
  day: ', per day',
  month: ', per month',
};

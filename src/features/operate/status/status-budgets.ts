/** The part of `animus status` about limits that are nearly or wholly used up. */
import type { BudgetLeft } from '../../../store/work/budgets.ts';
import { limitAmount, limitName, shareUsed } from '../../../terminal/view/limits.ts';
import { type Output, styled } from '../../../terminal/view/output.ts';
import { age, amountOf } from '../../../terminal/view/quantities.ts';
import { cut, right, showTable, spare } from '../../../terminal/view/table.ts';
import type { Status } from './status.ts';

/** A row for each limit of which 80 % are used; nothing if there is none. */
export function showBudgets(output: Output, { budgets, at }: Pick<Status, 'budgets' | 'at'>): void {
  if (budgets.length === 0) return;
  const limits = budgets as unknown as readonly BudgetLeft[];
  const now = Date.parse(at);
  output.line();
  showTable(output, limits, [
    [cut('BUDGET'), limitName],
    [right('SPENT'), ({ spent, unit }) => amountOf(spent, unit)],
    [spare(right('HELD')), ({ held, unit }) => (held > 0 ? amountOf(held, unit) : '-')],
    [right('LIMIT'), ({ amount, unit }) => limitAmount(amount, unit)],
    [right(''), shareUsed],
    [spare('ENDS'), ({ ends }) => (ends === null ? '-' : age(ends, now))],
  ]);
  output.line(styled('all limits: animus budget list; change one: animus budget set', 'dim'));
}

/** The part of `animus status` about limits that are nearly or wholly used up. */
import type { BudgetLeft } from '../../../store/work/budgets.ts';
import { limitAmount, limitName, shareUsed } from '../../../terminal/view/limits.ts';
import { type Output, styled } from '../../../terminal/view/output.ts';
import { age, amountOf } from '../../../terminal/view/quantities.ts';
import type { Status } from './status.ts';

/** A row for each limit of which 80 % are used; nothing if there is none. */
export function showBudgets(output: Output, { budgets, at }: Pick<Status, 'budgets' | 'at'>): void {
  if (budgets.length === 0) return;
  const limits = budgets as unknown as readonly BudgetLeft[];
  const now = Date.parse(at);
  output.line();
  output.table(
    [
      { title: 'BUDGET', shrink: true },
      { title: 'SPENT', align: 'right' },
      { title: 'HELD', align: 'right', optional: true },
      { title: 'LIMIT', align: 'right' },
      { title: '', align: 'right' },
      { title: 'ENDS', optional: true },
    ],
    limits.map((limit) => [
      limitName(limit),
      amountOf(limit.spent, limit.unit),
      limit.held > 0 ? amountOf(limit.held, limit.unit) : '-',
      limitAmount(limit.amount, limit.unit),
      shareUsed(limit),
      limit.ends === null ? '-' : age(limit.ends, now),
    ]),
  );
  output.line(styled('all limits: animus budget list; change one: animus budget set', 'dim'));
}

/** The part of `animus work show` about the limits that apply to the item. */
import type { BudgetLeft } from '../../../store/work/budgets.ts';
import { limitAmount, limitName, percentUsed } from '../../../terminal/view/limits.ts';
import type { Output } from '../../../terminal/view/output.ts';
import { age, amountOf } from '../../../terminal/view/quantities.ts';
import { heading } from '../../../terminal/view/show-outcome.ts';

/** A line for each limit; nothing without one. */
export function showBudgets(output: Output, limits: readonly BudgetLeft[]): void {
  if (limits.length === 0) return;
  heading(output, 'Budget');
  const now = Date.now();
  for (const limit of limits) {
    const { scope, amount, spent, held, unit, ends, on_exceeded: then } = limit;
    const after = ends === null ? '' : `; ends ${age(ends, now)}`;
    const name = scope === 'item' ? 'this item' : limitName(limit);
    const underWay = held > 0 ? `, ${amountOf(held, unit)} held for turns under way` : '';
    const percent = percentUsed({ used: spent, amount });
    const share = `${amountOf(spent, unit)} of ${limitAmount(amount, unit)} spent (${percent} %)${underWay}`;
    output.block(`${name}: ${share}${after}${then === 'die' ? '; the work dies when it is used up' : ''}`, '  ');
  }
}

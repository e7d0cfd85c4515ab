/** What a decision about a limit did, in a sentence. */
import type { DecidedBudget } from '../../operations/decided-budget.ts';
import { limitAmount, limitName } from './limits.ts';
import { age, counted, grouped, shortId } from './quantities.ts';

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

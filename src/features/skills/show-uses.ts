/** What `animus skill stats` prints. */
import { type Output, styled } from '../../terminal/view/output.ts';
import { age, cost, grouped } from '../../terminal/view/quantities.ts';
import { cut, right, showTable, spare } from '../../terminal/view/table.ts';
import type { SkillOutcomes, SkillUse } from './usage.ts';

/** Ended work with each skill beside other work of the same faculties. `only`: of this skill. */
export function showUses(output: Output, uses: readonly SkillUse[], only: string | undefined): void {
  if (uses.length === 0)
    return output.note(
      only === undefined ? 'no skill was used in this time' : `skill ${only} was not used in this time`,
    );
  const now = Date.now();
  showTable(output, uses, [
    [cut('SKILL'), ({ skill }) => styled(skill, 'bold')],
    [right('USED'), ({ activations }) => grouped(activations)],
    [spare('LAST'), ({ last_used_at: last }) => (last === null ? '' : age(last, now))],
    [right('ITEMS'), (use) => grouped(use.with_it.items)],
    [right('COMPLETED'), (use) => shareCompleted(use.with_it)],
    [right('COST EACH'), (use) => costOfEach(use.with_it)],
    [right('WITHOUT'), (use) => grouped(use.without.items)],
    [right('COMPLETED'), (use) => shareCompleted(use.without)],
    [right('COST EACH'), (use) => costOfEach(use.without)],
  ]);
}

function shareCompleted({ items, completed }: SkillOutcomes): string {
  return items === 0 ? '' : `${Math.round((100 * completed) / items)} %`;
}

function costOfEach({ items, cost_usd: usd, unpriced_calls: unpriced }: SkillOutcomes): string {
  return items === 0 ? '' : cost(usd === null ? null : usd / items, unpriced);
}

/** With the shares of what was completed. */
export function useForPrograms({ with_it: used, without, ...use }: SkillUse) {
  return { ...use, with: withShare(used), without: withShare(without) };
}

/** Null where there is nothing to divide by. */
function withShare({ items, completed, ...more }: SkillOutcomes) {
  return { items, completed, completed_share: items === 0 ? null : completed / items, ...more };
}

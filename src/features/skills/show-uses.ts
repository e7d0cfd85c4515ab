/** What `animus skill stats` prints. */
import { type Output, styled } from '../../terminal/view/output.ts';
import { age, cost, grouped } from '../../terminal/view/quantities.ts';
import type { SkillOutcomes, SkillUse } from './usage.ts';

/** Ended work with each skill beside other work of the same faculties. `only`: of this skill. */
export function showUses(output: Output, uses: readonly SkillUse[], only: string | undefined): void {
  if (uses.length === 0)
    return output.note(
      only === undefined ? 'no skill was used in this time' : `skill ${only} was not used in this time`,
    );
  const now = Date.now();
  output.table(
    [
      { title: 'SKILL', shrink: true },
      { title: 'USED', align: 'right' },
      { title: 'LAST', optional: true },
      { title: 'ITEMS', align: 'right' },
      { title: 'COMPLETED', align: 'right' },
      { title: 'COST EACH', align: 'right' },
      { title: 'WITHOUT', align: 'right' },
      { title: 'COMPLETED', align: 'right' },
      { title: 'COST EACH', align: 'right' },
    ],
    uses.map(({ skill, activations, last_used_at: last, with_it: used, without }) => [
      styled(skill, 'bold'),
      grouped(activations),
      last === null ? '' : age(last, now),
      ...cells(used),
      ...cells(without),
    ]),
  );
}

function cells({ items, completed, cost_usd: usd, unpriced_calls: unpriced }: SkillOutcomes): string[] {
  if (items === 0) return ['0', '', ''];
  return [
    grouped(items),
    `${Math.round((100 * completed) / items)} %`,
    cost(usd === null ? null : usd / items, unpriced),
  ];
}

/** With the shares of what was completed. */
export function useForPrograms({ with_it: used, without, ...use }: SkillUse) {
  return { ...use, with: withShare(used), without: withShare(without) };
}

/** Null where there is nothing to divide by. */
function withShare({ items, completed, ...more }: SkillOutcomes) {
  return { items, completed, completed_share: items === 0 ? null : completed / items, ...more };
}

/** The skills of an item as `animus work show` prints them. */
import type { UsedSkill } from '../../../store/views/skill-views.ts';
import { type Output, styled } from '../../../terminal/view/output.ts';
import { heading } from '../../../terminal/view/show-outcome.ts';

/** Prints which skills its foci used, why, and in which version. */
export function showSkills(output: Output, skills: readonly UsedSkill[]): void {
  if (skills.length === 0) return;
  heading(output, 'Skills');
  const foci = new Set(skills.map(({ focus }) => focus));
  for (const { skill, version, content_hash: hash, reason, focus } of skills) {
    const of = foci.size > 1 && focus !== null ? `, focus ${focus}` : '';
    const what = version === null ? hash.slice(0, 12) : `version ${version}, ${hash.slice(0, 12)}`;
    output.line('  ', styled(skill, 'bold'), `  ${WHY[reason] ?? reason}${of}`, styled(`  ${what}`, 'dim'));
  }
}

const WHY: Readonly<Record<string, string>> = {
  item: 'named by the item',
  auto: 'its triggers fitted',
  dependency: 'another one builds on it',
  model: 'activated by the model',
};

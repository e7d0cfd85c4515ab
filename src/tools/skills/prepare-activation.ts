/** Prepares skills to be activated: which they are, what the model gets of them, and their files. */
import type { Skill, SkillLibrary } from '../../catalog/skills/skill.ts';
import { estimateTokens } from '../../core/work/tokens.ts';
import type { SkillMessage } from '../../store/skills/focus-skills.ts';
import { type ChosenSkill, conflictsOf, withDependencies, withReasons } from './choose-skills.ts';
import { activationText } from './skill-text.ts';

/** A skill with the message in which the model gets it. */
export interface PreparedSkill extends SkillMessage {
  readonly skill: Skill;
}

/** The messages of skills that become active in this order, beside those that are active. */
export function prepareActivation(
  chosen: readonly ChosenSkill[],
  library: SkillLibrary,
  active: readonly Skill[] = [],
): PreparedSkill[] {
  const before = [...active];
  return chosen.map(({ skill, reason }) => {
    const conflicts = conflictsOf(skill, before).map(({ name }) => name);
    before.push(skill);
    const missing = skill.depends.filter((name) => !library.skills.has(name));
    const content = activationText(skill, { reason, conflicts, missing });
    return {
      skill,
      name: skill.name,
      version: skill.version,
      hash: skill.contentHash,
      reason,
      content,
      tokens: estimateTokens(content),
    };
  });
}

/** A skill and what it depends on, as the item or the model asks for it. */
export function chosenWithDependencies(
  skill: Skill,
  reason: 'item' | 'model',
  library: SkillLibrary,
  active: ReadonlySet<string>,
): ChosenSkill[] {
  const { skills } = withDependencies(skill, library, active);
  return withReasons(skills, skill, reason);
}

/** The skills of a faculty, for people and for programs. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { Skill, SkillLibrary } from '../../catalog/skills/skill.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { counted } from '../../terminal/view/quantities.ts';
import { isForOthers, isOffered } from '../../tools/skills/choose-skills.ts';

/** More are listed by `animus skill list`. */
const MAX_SHOWN = 20;

/** The skills that foci of the faculty see, those that are activated by triggers first. */
export function skillsOf({ name, skills }: Faculty, { skills: all }: SkillLibrary): readonly Skill[] {
  if (skills === undefined) return [];
  const seen = [...all.values()].filter((skill) => isOffered(skill, skills) && !isForOthers(skill, name));
  return [...seen.filter(({ triggers }) => triggers.auto), ...seen.filter(({ triggers }) => !triggers.auto)];
}

/** For `--json`. */
export function skillsJson(faculty: Faculty, skills: readonly Skill[]) {
  const automatic = faculty.skills?.autoActivate ?? false;
  return skills.map(({ name, version, triggers, command }) => ({
    name,
    version,
    auto: automatic && triggers.auto,
    faculties: triggers.faculties,
    keywords: triggers.keywords,
    params: triggers.params,
    command,
  }));
}

/** Prints a table of them; nothing without skills. */
export function showSkills(output: Output, faculty: Faculty, skills: readonly Skill[]): void {
  if (skills.length === 0) return;
  output.line();
  output.table(
    [
      { title: 'SKILL', shrink: true },
      { title: 'ACTIVATED', shrink: true },
      { title: 'COMMAND', optional: true },
    ],
    skills
      .slice(0, MAX_SHOWN)
      .map((skill) => [skill.name, whenOf(skill, faculty), skill.command === null ? '' : `/${skill.command}`]),
  );
  const left = skills.length - MAX_SHOWN;
  if (left > 0) output.line(styled(`and ${counted(left, 'more skill')}; see them with: animus skill list`, 'dim'));
}

function whenOf({ triggers }: Skill, { skills }: Faculty): string {
  if (!triggers.auto || skills?.autoActivate !== true) return 'when the model or the item asks for it';
  const params = Object.entries(triggers.params).map(([key, values]) => `${key} is ${values.join(' or ')}`);
  const conditions = [...(triggers.keywords.length > 0 ? [`on ${triggers.keywords.join(', ')}`] : []), ...params];
  return conditions.length === 0 ? 'always' : conditions.join('; ');
}

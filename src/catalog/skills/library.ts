/** Makes one library from the skills of all directories. */
import { join } from 'node:path';
import { didYouMean } from '../../core/errors/suggest.ts';
import { type Skill, type SkillLibrary, type SkillProblem, skillProblem } from './skill.ts';

/** `found` in the order in which collisions are decided. Decides them, finds references to skills that are not there, and freezes the result. */
export function assembleLibrary(
  directories: readonly string[],
  found: readonly Skill[],
  problems: readonly SkillProblem[],
): SkillLibrary {
  const byName = new Map<string, Skill>();
  const all = [...problems];
  for (const skill of found) {
    const first = byName.get(skill.name);
    if (first === undefined) byName.set(skill.name, skill);
    else all.push(about(skill, 'error', `is not used: ${first.directory} contains a skill of the same name`));
  }
  const names = [...byName.keys()].sort();
  const skills = new Map(names.map((name) => [name, byName.get(name) as Skill]));
  all.push(...referenceProblems(skills), ...commandProblems(skills));
  return Object.freeze({ skills, problems: Object.freeze(all), directories: Object.freeze([...directories]) });
}

function referenceProblems(skills: ReadonlyMap<string, Skill>): SkillProblem[] {
  return [...skills.values()].flatMap((skill) =>
    skill.depends
      .filter((name) => !skills.has(name))
      .map((name) => {
        const what = `needs the skill ${name}, which does not exist${didYouMean(name, skills.keys())}`;
        return about(skill, 'warning', what);
      }),
  );
}

function commandProblems(skills: ReadonlyMap<string, Skill>): SkillProblem[] {
  const first = new Map<string, Skill>();
  return [...skills.values()].flatMap((skill) => {
    if (skill.command === null) return [];
    const other = first.get(skill.command);
    if (other !== undefined)
      return [about(skill, 'warning', `offers /${skill.command}, but so does ${other.name}, which takes precedence`)];
    first.set(skill.command, skill);
    return [];
  });
}

function about(skill: Skill, level: SkillProblem['level'], what: string): SkillProblem {
  return skillProblem({ level, skill: skill.name, file: join(skill.directory, 'SKILL.md'), line: null, what });
}

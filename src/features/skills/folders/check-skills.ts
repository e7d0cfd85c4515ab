/** `animus skill check`: all problems of skills. */
import { existsSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { loadSkills } from '../../../catalog/skills/load-skills.ts';
import type { SkillLibrary, SkillProblem } from '../../../catalog/skills/skill.ts';
import { didYouMean } from '../../../core/errors/suggest.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { skillsDirectories } from '../../../terminal/command/skills-directories.ts';
import { styled } from '../../../terminal/view/output.ts';
import { counted } from '../../../terminal/view/quantities.ts';
import type { SkillOptions } from './list-skills.ts';

interface CheckOptions extends SkillOptions {
  readonly strict?: boolean;
}

/** Exits 2 if a skill was left out or does not exist; with `--strict` also if there are remarks. */
export async function checkSkills(
  invocation: Invocation,
  options: CheckOptions,
  given: readonly string[],
): Promise<number> {
  const { output } = invocation;
  const { cwd } = invocation.context;
  const strictness = options.strict === true ? 'strict' : 'lenient';
  const places = given.filter(isPlace).map((place) => resolve(cwd, place));
  const names = given.filter((each) => !isPlace(each));
  // Only places: the rest of the library does not matter.
  const isLibrary = names.length > 0 || places.length === 0;
  const directories = isLibrary ? await skillsDirectories(invocation, options.skills) : [];
  const library = loadSkills([...places, ...directories], { strictness, required: new Set(places) });
  const missing = names.filter(
    (name) => !library.skills.has(name) && !library.problems.some(({ skill }) => skill === name),
  );
  const isBelow = (path: string) => places.some((place) => path === place || path.startsWith(join(place, sep)));
  const concerns = ({ skill, file }: SkillProblem) =>
    given.length === 0 || (skill !== null && names.includes(skill)) || isBelow(file);
  const problems = library.problems.filter(concerns);
  const sound = [...library.skills.values()].filter(
    ({ name, directory }) => given.length === 0 || names.includes(name) || isBelow(directory),
  );
  const errors = problems.filter(({ level }) => level === 'error');
  const refused = options.strict === true ? problems : errors;
  const ok = refused.length === 0 && missing.length === 0;
  output.document({ directories: library.directories, ok, skills: sound.map(({ name }) => name), missing, problems });
  for (const { name, directory } of sound) output.line(styled('ok       ', 'green'), `${name}  ${directory}`);
  for (const { level, message } of problems) output.block(`${level === 'error' ? 'problem' : 'remark'}  ${message}`);
  for (const name of missing) output.block(`missing  no skill is named ${name}${hintFor(name, cwd, library)}`);
  if (ok && sound.length === 0) output.note(`no skills in ${library.directories.join(', ')}`);
  if (errors.length > 0) output.note(`${counted(errors.length, 'problem')}; the skills concerned are left out`);
  else if (!ok && missing.length === 0) output.note(`${counted(problems.length, 'remark')}; --strict accepts none`);
  return ok ? 0 : 2;
}

/** A directory is written with a separator, as `./name`: a name has none. */
function isPlace(given: string): boolean {
  return /[/\\]/.test(given) || given === '.' || given === '..';
}

function hintFor(name: string, cwd: string, { skills }: SkillLibrary): string {
  return existsSync(resolve(cwd, name)) ? ` (for the directory, write ./${name})` : didYouMean(name, skills.keys());
}

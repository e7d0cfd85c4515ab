/** `animus skill adopt`: a person's skill becomes one that agents may improve. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { loadSkills } from '../../../catalog/skills/load-skills.ts';
import { readSkillFiles } from '../../../catalog/skills/read-skill-files.ts';
import type { Skill, SkillContent, SkillLibrary } from '../../../catalog/skills/skill.ts';
import { AnimusError } from '../../../core/errors/errors.ts';
import { untilUnlocked } from '../../../store/sql/patient-database.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { PATIENCE } from '../../../terminal/command/operation-command.ts';
import { skillsDirectories } from '../../../terminal/command/skills-directories.ts';
import { styled } from '../../../terminal/view/output.ts';
import { clashingPaths, wrongPath } from '../../../tools/skills/writing/skill-paths.ts';
import { adoptSkill } from '../store.ts';
import type { SkillOptions } from './list-skills.ts';
import { unknownSkill } from './show-skill.ts';

export interface AdoptOptions extends SkillOptions {
  readonly note?: string;
}

/** Stores its files as the current version. Errors: `skill.unknown`, `skill.invalid`, `skill.source`, `skill.changed`, `work.state`. */
export async function adoptCommand(
  invocation: Invocation,
  { note = '', skills }: AdoptOptions,
  name: string,
): Promise<number> {
  const { output } = invocation;
  const directories = await skillsDirectories(invocation, skills);
  const lenient = loadSkills(directories);
  const skill = lenient.skills.get(name) ?? unknownSkill(name, lenient);
  requirePlace(skill, directories[0]!);
  requireStrict(skill, loadSkills([skill.directory], { strictness: 'strict' }));
  const files = readSkillFiles(skill);
  requirePaths(skill, files);
  const adopted = { name, description: skill.description, note, files };
  const version = await withDatabase(invocation, (db) => untilUnlocked(() => adoptSkill(db, adopted), PATIENCE));
  output.document({ skill: name, version, adopted: true, hash: skill.contentHash });
  output.line(styled(name, 'bold'), `  version ${version}  `, styled('adopted', 'green'));
  output.note(
    'agents may improve it from now on; it becomes a person’s again as soon as somebody edits one of its files',
  );
  return 0;
}

/** Daemons write and compare `name` in their first directory. */
function requirePlace({ name, directory }: Skill, root: string): void {
  const place = join(root, name);
  if (directory !== place) fail(directory, `agents write the skill to ${place}; move it there first`);
  if (!lstatSync(directory).isDirectory())
    fail(directory, 'it is a link, which daemons do not replace; copy the skill');
}

/** As what agents write is checked. */
function requireStrict({ name }: Skill, { problems }: SkillLibrary): void {
  const errors = problems.filter(({ level }) => level === 'error');
  if (errors.length === 0) return;
  const lines = errors.map(({ message }) => `  ${message}`).join('\n');
  throw new AnimusError('skill.invalid', {
    count: errors.length,
    problems: `${lines}\nCorrect them first: animus skill check ${name} --strict`,
  });
}

/** With any other file, every update by work would be refused. */
function requirePaths({ directory }: Skill, files: readonly SkillContent[]): void {
  const paths = files.map(({ path }) => path);
  for (const path of paths) {
    const wrong = path === 'SKILL.md' ? null : wrongPath(path);
    if (wrong !== null) fail(join(directory, path), `agents cannot write such a file: ${wrong}`);
  }
  const clash = clashingPaths(paths);
  if (clash !== null) fail(directory, clash);
}

function fail(source: string, detail: string): never {
  throw new AnimusError('skill.source', { source, detail });
}

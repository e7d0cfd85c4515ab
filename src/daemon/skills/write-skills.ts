/** Updates the first directory of skills from the rows: the files of each current version, and none of archived skills. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { SkillLibrary } from '../../catalog/skills/skill.ts';
import { fileFault } from '../../core/errors/errors.ts';
import { readPackage } from '../../store/skills/packages.ts';
import type { WrittenSkill } from '../../store/skills/written-skills.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { exchangeFolder, hashOnDisk, recoverFolders } from './skill-folder.ts';

/** What one pass did. */
export interface Written {
  /** Names of skills whose files were written or deleted. */
  readonly changed: readonly string[];
  /** Why files are not as the rows say: a person's skill is in their place, or they cannot be written. */
  readonly problems: readonly string[];
}

/**
 * `library`: what the directories contain. What a person wrote or edited stays, and is a problem. Never rejects because of files; of several daemons that
 * do this at once, each skill is written by one. Rejects if the database cannot be read.
 */
export async function writeSkills(
  db: Queryable,
  root: string,
  skills: readonly WrittenSkill[],
  library: SkillLibrary,
): Promise<Written> {
  const changed: string[] = [];
  const problems: string[] = [];
  const byName = new Map(skills.map((skill) => [skill.name, new Set(skill.hashes)]));
  await recoverFolders(root, (name, hash) => byName.get(name)?.has(hash) ?? false);
  for (const skill of skills) {
    if (isThere(skill, root, library)) continue;
    const files = skill.current === null ? null : await readPackage(db, skill.current.hash);
    try {
      const problem = elsewhere(skill, root, library) ?? (await bring(root, skill, files));
      if (problem === CHANGED) changed.push(skill.name);
      else if (problem !== null) problems.push(problem);
    } catch (error) {
      problems.push(`skill ${skill.name} could not be written to ${join(root, skill.name)}: ${fileFault(error)}`);
    }
  }
  return { changed, problems };
}

/** Without reading its files. */
function isThere({ name, current }: WrittenSkill, root: string, library: SkillLibrary): boolean {
  const found = library.skills.get(name);
  const directory = join(root, name);
  if (current === null) return found?.directory !== directory && !existsSync(directory);
  return (
    found?.contentHash === current.hash && found.directory === directory && existsSync(join(directory, 'SKILL.md'))
  );
}

/** A person's skill of that name in another directory must not be hidden by one in the first. */
function elsewhere({ name, current }: WrittenSkill, root: string, library: SkillLibrary): string | null {
  const found = library.skills.get(name);
  if (current === null || found === undefined || found.directory === join(root, name)) return null;
  return `version ${current.version} of skill ${name} was not written: there is a skill of that name in ${found.directory}`;
}

const CHANGED = Symbol('changed');
/** How often to look: while another daemon exchanges the folder, this one may read parts of two versions. */
const MOST_TRIES = 4;
const PAUSE_MS = 20;

async function bring(
  root: string,
  { name, current, hashes }: WrittenSkill,
  files: Awaited<ReturnType<typeof readPackage>> | null,
): Promise<string | typeof CHANGED | null> {
  const directory = join(root, name);
  const wanted = current?.hash ?? null;
  let foreign = false;
  for (let tried = 0; tried < MOST_TRIES; tried++) {
    const there = hashOnDisk(directory);
    if (there === wanted) return null;
    if (there !== null && !hashes.includes(there)) {
      foreign = true;
      await setTimeout(PAUSE_MS);
      continue;
    }
    foreign = false;
    if (files !== null) await mkdir(root, { recursive: true });
    if (await exchangeFolder(root, name, files, there)) return CHANGED;
  }
  if (foreign && current === null) return null;
  if (foreign)
    return `version ${current!.version} of skill ${name} was not written: a person has edited or written ${directory} (to let agents go on with that: animus skill adopt ${name}), or keeps hidden files there`;
  return `skill ${name} is changed by others each time it is written to ${directory}; the next round tries again`;
}

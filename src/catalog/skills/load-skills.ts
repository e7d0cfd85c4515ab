/** Loads the skills of all directories into a library. */
import type { Dirent } from 'node:fs';
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileFault } from '../../core/errors/errors.ts';
import { problemsOf, type Strictness } from './finding.ts';
import { assembleLibrary } from './library.ts';
import { type ReadSkill, readSkill } from './read-skill.ts';
import { type Skill, type SkillLibrary, type SkillProblem, skillProblem } from './skill.ts';
import { SKILL_LIMITS, type SkillLimits } from './skill-limits.ts';
import { isUsableSkillName } from './skill-name.ts';
import { isLeftOut, TEMPORARY } from './skill-path.ts';

/** How skills are loaded. */
export interface LoadSkillsOptions {
  readonly limits?: SkillLimits;
  /** Default lenient: what is against the format, but clear, is a warning. */
  readonly strictness?: Strictness;
  /** What the last load has read, by directory of the skill: unchanged skills are not read again. It is updated. */
  readonly known?: Map<string, ReadSkill>;
  /** Which of the directories must exist; default none. */
  readonly required?: ReadonlySet<string>;
}

/** How deep skills are searched below a directory of skills: `skills/group/name` is found. */
const SEARCH_DEPTH = 4;

/** Folders that are searched in one directory of skills: somebody may have named a whole disk. */
const MOST_FOLDERS = 50_000;

/**
 * Loads all skills. Every folder with a SKILL.md is one; folders below it are its own. If two have the same name, that of the earlier
 * directory is used, within a directory the one less deep, then the first by path. Never throws because of files.
 */
export function loadSkills(directories: readonly string[], options: LoadSkillsOptions = {}): SkillLibrary {
  const steps = loadInSteps(directories, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The same, in steps of one skill each, for callers with other things to do. */
export function* loadInSteps(
  directories: readonly string[],
  { limits = SKILL_LIMITS, strictness = 'lenient', known = new Map(), required = new Set() }: LoadSkillsOptions,
): Generator<undefined, SkillLibrary> {
  const found: Skill[] = [];
  const problems: SkillProblem[] = [];
  const seen = new Set<string>();
  const visited = new Set<string>();
  const roots = [...new Set(directories.map((directory) => resolve(directory)))];
  for (const root of roots) {
    for (const directory of skillDirectories(root, required.has(root), problems)) {
      if (directory === null) {
        yield;
        continue;
      }
      const real = realPathOf(directory);
      // Reached by two ways: a link, or a directory of skills inside another.
      if (seen.has(real)) continue;
      seen.add(real);
      visited.add(directory);
      const read = readSkill(directory, limits, known.get(directory), Date.now());
      known.set(directory, read);
      const place = { directory, skill: read.skill?.name ?? nameOf(directory), strictness };
      const own = problemsOf(read.findings, place);
      problems.push(...own);
      if (read.skill !== null && !own.some(({ level }) => level === 'error')) found.push(read.skill);
      yield;
    }
  }
  for (const directory of known.keys()) if (!visited.has(directory)) known.delete(directory);
  return assembleLibrary(roots, found, problems);
}

/** The folders with a SKILL.md, the less deep ones first; null after each folder that is none. */
function* skillDirectories(
  root: string,
  isRequired: boolean,
  problems: SkillProblem[],
): Generator<string | null, void> {
  const report = (file: string, what: string) =>
    problems.push(skillProblem({ level: 'error', skill: null, file, line: null, what }));
  let level = [root];
  let folders = 0;
  for (let depth = 0; depth <= SEARCH_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      const entries = entriesOf(folder, (fault) => {
        if (depth > 0 || isRequired || fault.code !== 'ENOENT') report(folder, `cannot be read: ${fileFault(fault)}`);
      });
      if (entries.some(({ name }) => name === 'SKILL.md')) {
        yield folder;
        continue;
      }
      const misnamed = entries.find(({ name }) => name.toLowerCase() === 'skill.md');
      if (misnamed !== undefined) report(join(folder, misnamed.name), 'must be named SKILL.md, in capital letters');
      next.push(...foldersIn(folder, entries, depth));
      yield null;
    }
    folders += next.length;
    if (folders > MOST_FOLDERS) {
      report(root, `contains more than ${MOST_FOLDERS} folders; name the directories with skills instead`);
      return;
    }
    level = next.sort();
  }
}

/** Other hidden folders are searched: collections keep skills in `.claude/skills` or `.curated`. */
function isNotSearched(name: string): boolean {
  return name === '.git' || name.startsWith(TEMPORARY) || (!name.startsWith('.') && isLeftOut(name));
}

/** A person may put a link to a folder into a directory of skills. Deeper down, links are not followed. */
function foldersIn(folder: string, entries: readonly Dirent[], depth: number): string[] {
  return entries.flatMap((entry) => {
    if (isNotSearched(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return [path];
    return depth === 0 && entry.isSymbolicLink() && leadsToFolder(path) ? [path] : [];
  });
}

/** False, too, for a link that leads nowhere, in a circle, or to where we may not look. */
function leadsToFolder(link: string): boolean {
  try {
    return statSync(link).isDirectory();
  } catch {
    return false;
  }
}

function entriesOf(folder: string, report: (fault: NodeJS.ErrnoException) => void): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    report(error as NodeJS.ErrnoException);
    return [];
  }
}

/** The name that a skill in this directory should have; null if it cannot be one. */
function nameOf(directory: string): string | null {
  const name = basename(directory);
  return isUsableSkillName(name) ? name : null;
}

function realPathOf(directory: string): string {
  try {
    return realpathSync.native(directory);
  } catch {
    // It has just been removed: `readSkill` reports that.
    return directory;
  }
}

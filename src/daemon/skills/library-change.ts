/** How a daemon takes over a new library of skills: what it keeps of the old one, and what it logs. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { Skill, SkillLibrary, SkillProblem } from '../../catalog/skills/skill.ts';
import { TEMPORARY } from '../../catalog/skills/skill-path.ts';
import type { Log } from '../../telemetry/log.ts';

/** The new library, plus the previous version of each skill whose files are broken now, or were just being replaced when they were searched. */
export function keepLastGood(before: SkillLibrary, loaded: SkillLibrary): SkillLibrary {
  const found = new Set([...loaded.skills.values()].map(({ directory }) => directory));
  const kept = [...before.skills.values()].filter((skill) => {
    if (loaded.skills.has(skill.name)) return false;
    return isBroken(skill, loaded) || (!found.has(skill.directory) && isBeingReplaced(skill));
  });
  if (kept.length === 0) return loaded;
  const all = [...loaded.skills.values(), ...kept].sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.freeze({ ...loaded, skills: new Map(all.map((skill) => [skill.name, skill])) });
}

/** It is back, or `placeSkill` has moved its folder aside to put another one in its place, which the next load finds. */
function isBeingReplaced({ directory }: Skill): boolean {
  if (existsSync(join(directory, 'SKILL.md'))) return true;
  const begin = `${TEMPORARY}${basename(directory)}-`;
  try {
    return readdirSync(dirname(directory)).some((name) => name.startsWith(begin) && name.endsWith('-old'));
  } catch {
    return false;
  }
}

function isBroken(skill: Skill, { problems }: SkillLibrary): boolean {
  return problems.some((problem) => isErrorOf(problem, skill)) && existsSync(skill.directory);
}

function isErrorOf({ level, file }: SkillProblem, { directory }: Skill): boolean {
  return level === 'error' && (file === directory || file.startsWith(directory + sep));
}

/** The skills with errors, one line each, at most 20; the last one says how many more there are. */
export function leftOutLines(library: SkillLibrary): string[] {
  const errors = library.problems.filter(({ level }) => level === 'error');
  const lines = errors
    .slice(0, MOST_LINES)
    .map((problem) => `${hasLastGood(problem, library) ? STAYS : 'a skill is left out'}: ${problem.message}`);
  const more = errors.length - lines.length;
  return more > 0 ? [...lines, `${more} more skills are broken; run: animus skill check`] : lines;
}

const STAYS = 'a skill is broken, its last good version stays';

/** A skill with an error is in a library only because `keepLastGood` has put its previous version there. */
function hasLastGood(problem: SkillProblem, { skills }: SkillLibrary): boolean {
  return [...skills.values()].some((skill) => isErrorOf(problem, skill));
}

/** Logs what was added, changed and removed, and each problem once. */
export function reportChange(before: SkillLibrary, after: SkillLibrary, log: Log, isFirst: boolean): void {
  const names = [...after.skills.keys()];
  const added = names.filter((name) => !before.skills.has(name));
  const removed = [...before.skills.keys()].filter((name) => !after.skills.has(name));
  const changed = names.filter((name) => {
    const old = before.skills.get(name);
    return old !== undefined && old.contentHash !== after.skills.get(name)?.contentHash;
  });
  if (isFirst) {
    if (names.length > 0) log.info({ skills: names.length }, 'loaded the skills');
  } else if (added.length + removed.length + changed.length > 0) {
    log.info(
      { added: added.slice(0, 50), changed: changed.slice(0, 50), removed: removed.slice(0, 50) },
      'reloaded the skills',
    );
  }
  const known = new Set(before.problems.map(({ message }) => message));
  const fresh = after.problems.filter(({ message }) => !known.has(message));
  for (const problem of fresh.slice(0, MOST_LINES)) {
    const { level, message } = problem;
    if (level !== 'error') log.debug({}, `a skill does not follow the format: ${message}`);
    else log.error({}, `${hasLastGood(problem, after) ? STAYS : 'a skill was left out'}: ${message}`);
  }
  const rest = fresh.slice(MOST_LINES).filter(({ level }) => level === 'error').length;
  if (rest > 0) log.error({ more: rest }, 'more skills are broken; run: animus skill check');
}

const MOST_LINES = 20;

/** What a new library means for a daemon that has one already. */
import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import type { Skill, SkillLibrary } from '../../catalog/skills/skill.ts';
import type { Log } from '../../telemetry/log.ts';

/** The new library, plus the previous version of each skill whose files are broken now. */
export function keepLastGood(before: SkillLibrary, loaded: SkillLibrary): SkillLibrary {
  const kept = [...before.skills.values()].filter((skill) => !loaded.skills.has(skill.name) && isBroken(skill, loaded));
  if (kept.length === 0) return loaded;
  const all = [...loaded.skills.values(), ...kept].sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.freeze({ ...loaded, skills: new Map(all.map((skill) => [skill.name, skill])) });
}

function isBroken({ directory }: Skill, { problems }: SkillLibrary): boolean {
  const concerned = problems.some(
    ({ level, file }) => level === 'error' && (file === directory || file.startsWith(directory + sep)),
  );
  return concerned && existsSync(directory);
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
  for (const { level, message } of fresh.slice(0, MOST_LINES)) {
    if (level === 'error') log.error({}, `a skill was left out: ${message}`);
    else log.debug({}, `a skill is not as the format wants it: ${message}`);
  }
  const rest = fresh.slice(MOST_LINES).filter(({ level }) => level === 'error').length;
  if (rest > 0) log.error({ more: rest }, 'more skills were left out; run: animus skill check');
}

const MOST_LINES = 20;

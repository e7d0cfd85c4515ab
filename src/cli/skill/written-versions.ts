/** Finds the version of a written skill that a command is about. */
import { AnimusError } from '../../core/errors/errors.ts';
import { readSkillVersions, type SkillVersion, versionsText } from '../../store/skills/skill-versions.ts';
import type { Queryable } from '../../store/sql/database.ts';

/** All versions, the newest first. Errors: `work.not_found`. */
export async function versionsOf(db: Queryable, name: string): Promise<readonly [SkillVersion, ...SkillVersion[]]> {
  const [newest, ...others] = await readSkillVersions(db, name);
  if (newest !== undefined) return [newest, ...others];
  throw new AnimusError('work.not_found', { detail: `no work has written a skill ${JSON.stringify(name)}`, hint: '' });
}

/** The version with this number; without one, the proposed version, else the current one, else the newest. Errors: `work.not_found`. */
export function versionOf(
  versions: readonly [SkillVersion, ...SkillVersion[]],
  number: number | undefined,
): SkillVersion {
  if (number === undefined) {
    const ofState = (state: SkillVersion['state']) => versions.find((each) => each.state === state);
    return ofState('proposed') ?? ofState('current') ?? versions[0];
  }
  const found = versions.find(({ version }) => version === number);
  if (found !== undefined) return found;
  const hint = `; it has ${versionsText(versions)}`;
  throw new AnimusError('work.not_found', { detail: `skill ${versions[0].name} has no version ${number}`, hint });
}

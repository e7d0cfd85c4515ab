/** Reads all bytes of a skill, for a package that is kept with the work that used it. */
import { AnimusError, fileFault } from '../../core/errors/errors.ts';
import { contentHashOf } from './content-hash.ts';
import { listSkillFiles } from './list-skill-files.ts';
import { readListedFiles } from './read-listed-files.ts';
import type { Skill, SkillContent } from './skill.ts';
import { SKILL_LIMITS, type SkillLimits } from './skill-limits.ts';

/**
 * The content of all files of a skill, which is exactly what `contentHash` was computed from. Errors: `skill.changed` if the files are no
 * longer those, or cannot be read: the caller takes the newest library.
 */
export function readSkillFiles(skill: Skill, limits: SkillLimits = SKILL_LIMITS): SkillContent[] {
  const changed = (detail: string, cause?: unknown) =>
    new AnimusError('skill.changed', { name: skill.name, directory: skill.directory, detail }, { cause });
  let contents: SkillContent[];
  try {
    const { files, findings } = listSkillFiles(skill.directory, limits);
    const [finding] = findings;
    if (finding !== undefined) throw changed(`${finding.path} ${finding.what}`.trim());
    contents = readListedFiles(files, limits);
  } catch (error) {
    if (error instanceof AnimusError) throw error;
    throw changed(fileFault(error), error);
  }
  if (contentHashOf(contents) !== skill.contentHash) throw changed('its content has changed');
  return contents;
}

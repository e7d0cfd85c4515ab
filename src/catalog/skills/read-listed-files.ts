/** Reads the files of a skill that a listing has found. */
import { fileFault } from '../../core/errors/errors.ts';
import { readRegularFile } from '../../core/files/regular-file.ts';
import type { ListedFile } from './list-skill-files.ts';
import type { SkillContent } from './skill.ts';
import type { SkillLimits } from './skill-limits.ts';

/** The content of the files of a skill, as they were listed. Throws an error that says what is wrong, with the `path`. */
export function readListedFiles(files: readonly ListedFile[], limits: SkillLimits): SkillContent[] {
  return files.map(({ path, realPath }) => {
    try {
      const maxBytes = mostBytes(path, limits);
      return { path, content: readRegularFile(realPath, { maxBytes, followLink: false, isRealPath: true }) };
    } catch (error) {
      throw new UnreadableFile(path, fileFault(error));
    }
  });
}

/** A file of a skill that cannot be read. */
export class UnreadableFile extends Error {
  readonly path: string;

  constructor(path: string, what: string) {
    super(what);
    this.path = path;
  }
}

function mostBytes(path: string, limits: SkillLimits): number {
  return path === 'SKILL.md' || path === 'prompt.md' ? limits.bodyBytes : limits.packageBytes;
}

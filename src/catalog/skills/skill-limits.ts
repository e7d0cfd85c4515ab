/** How large a skill may be. */

export interface SkillLimits {
  /** Bytes of SKILL.md, and of prompt.md. Both go into a context; default 512 KiB. */
  readonly bodyBytes: number;
  /** Bytes of a file that is text; 1 MiB. */
  readonly textBytes: number;
  /** Bytes of all files together; 8 MiB. */
  readonly packageBytes: number;
  /** 500. */
  readonly files: number;
  /** How deep the folders of a skill may be nested; 8. */
  readonly depth: number;
  /** Characters of the path of a file; 400. */
  readonly pathCharacters: number;
}

export const SKILL_LIMITS: SkillLimits = Object.freeze({
  bodyBytes: 512 * 1024,
  textBytes: 1024 * 1024,
  packageBytes: 8 * 1024 * 1024,
  files: 500,
  depth: 8,
  pathCharacters: 400,
});

/** Bytes of the front matter. The format needs 7 KiB at most, without metadata. */
export const FRONT_MATTER_BYTES = 16 * 1024;

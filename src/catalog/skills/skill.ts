/** A skill as data: what a directory in the Agent Skills format says, checked and frozen. */

/** One skill, as all of animus reads it. `source` of every value is its SKILL.md unless noted. */
export interface Skill {
  /** 1 to 64 lower-case letters and digits with single hyphens between them; unique in a library. */
  readonly name: string;
  /** What it does and when to use it; 1 to 1,024 characters. */
  readonly description: string;
  readonly license: string | null;
  readonly compatibility: string | null;
  /** All of `metadata`, also the `animus.*` keys. */
  readonly metadata: Readonly<Record<string, string>>;
  /** As written. It grants nothing: what tools a focus has is decided by its faculty. */
  readonly allowedTools: string | null;
  /** The text below the front matter, with line feeds. */
  readonly body: string;
  /** The text of prompt.md with line feeds; null if there is none. */
  readonly prompt: string | null;
  /** Absolute. */
  readonly directory: string;
  /** All files, ordered by path. Hidden files, `node_modules` and `__pycache__` are not part of a skill. */
  readonly files: readonly SkillFile[];
  /** See `contentHashOf`. */
  readonly contentHash: string;
  readonly triggers: SkillTriggers;
  /** Names of skills that it needs. */
  readonly depends: readonly string[];
  /** Names of skills that must not be active together with it. */
  readonly conflicts: readonly string[];
  /** `animus.version`, as written. */
  readonly version: string | null;
  /** Who wrote it. */
  readonly origin: 'person' | 'agent';
  /** The slash command that it offers, without the slash. */
  readonly command: string | null;
}

/** A file of a skill. */
export interface SkillFile {
  /** Relative to the directory of the skill, with `/` between its parts, in Unicode form NFC. */
  readonly path: string;
  readonly bytes: number;
}

/** The content of a file of a skill. */
export interface SkillContent {
  readonly path: string;
  readonly content: Buffer;
}

/** When a skill is activated without being asked for. */
export interface SkillTriggers {
  /** Names of the faculties in which it is used, `*` for all; empty: the skill says nothing about faculties. */
  readonly faculties: readonly string[];
  readonly keywords: readonly string[];
  /** By key of the work item's params, the values that match. */
  readonly params: Readonly<Record<string, readonly string[]>>;
  /** `animus.auto`; without it, true exactly if there are keywords or params. */
  readonly auto: boolean;
}

/** All skills of all directories. Frozen: a change gives another library. */
export interface SkillLibrary {
  /** By name, in order of name. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly problems: readonly SkillProblem[];
  /** The directories in which skills were searched, absolute; the first wins a collision. They need not exist. */
  readonly directories: readonly string[];
}

/** What is wrong with a skill or a directory of skills. */
export interface SkillProblem {
  /** `error`: the skill was left out. `warning`: it is used. */
  readonly level: 'error' | 'warning';
  /** Its name, if it is known. */
  readonly skill: string | null;
  /** Absolute; a directory if no single file is to blame. */
  readonly file: string;
  /** 1-based, where known. */
  readonly line: number | null;
  readonly what: string;
  /** `file:line: what`, on one line. */
  readonly message: string;
}

/** A library without skills. */
export const NO_SKILLS: SkillLibrary = Object.freeze({
  skills: new Map<string, Skill>(),
  problems: Object.freeze([]),
  directories: Object.freeze([]),
});

/** Creates a problem with its message. */
export function skillProblem(problem: Omit<SkillProblem, 'message'>): SkillProblem {
  const place = problem.line === null ? problem.file : `${problem.file}:${problem.line}`;
  return Object.freeze({ ...problem, message: `${place}: ${problem.what}`.replace(/\s+/g, ' ') });
}

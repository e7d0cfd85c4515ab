import { type Problem, problemAt } from '../../core/errors/problem.ts';
import type { StrictDocument } from '../../core/toml/strict-toml.ts';
import type { FacultyDocument } from '../faculty/faculty-schema.ts';

/** The check of one faculty file: its content, and the problems found so far. */
export interface FacultyCheck {
  readonly document: StrictDocument<FacultyDocument>;
  /** The file's directory, absolute; the base of relative paths. */
  readonly directory: string;
  readonly problems: Problem[];
}

/** The value at a path below `faculty`, if it is written and valid. */
export function given({ document }: FacultyCheck, ...path: readonly string[]): unknown {
  return document.given('faculty', ...path);
}

/** The table that is written at a path below `faculty`, valid or not; null if there is none. */
export function tableAt({ document }: FacultyCheck, ...path: readonly string[]): object | null {
  const value = document.written('faculty', ...path);
  return typeof value === 'object' && value !== null ? value : null;
}

/** Whether the faculty lists a tool. */
export function listsTool(check: FacultyCheck, name: string): boolean {
  const tools = given(check, 'engage', 'tools');
  return Array.isArray(tools) && tools.includes(name);
}

/** Reports that the value at `path` (below `faculty`) cannot be used, and why. */
export function conflict({ document, problems }: FacultyCheck, path: readonly string[], detail: string): void {
  problems.push(problemAt('config.conflict', document.placeOf('faculty', ...path), { detail }));
}

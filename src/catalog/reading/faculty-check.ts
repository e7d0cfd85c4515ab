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

/** Reports that the value at `path` (below `faculty`) cannot be used, and why. */
export function conflict({ document, problems }: FacultyCheck, path: readonly string[], detail: string): void {
  problems.push(problemAt('config.conflict', document.placeOf('faculty', ...path), { detail }));
}

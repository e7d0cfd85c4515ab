import { type Problem, problemAt } from '../core/errors/problem.ts';
import type { StrictDocument } from '../core/toml/strict-toml.ts';
import type { FacultyDocument } from './faculty-schema.ts';

/** One faculty file under check: what it says, and what has been found wrong so far. */
export interface FacultyCheck {
  readonly document: StrictDocument<FacultyDocument>;
  /** The file's directory, absolute: relative paths start here. */
  readonly directory: string;
  readonly problems: Problem[];
}

/** Notes that what stands at `path` (below `faculty`) cannot be used, and why. */
export function conflict({ document, problems }: FacultyCheck, path: readonly string[], detail: string): void {
  problems.push(problemAt('config.conflict', document.placeOf('faculty', ...path), { detail }));
}

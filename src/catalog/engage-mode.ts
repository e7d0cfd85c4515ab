/** Which keys of `[faculty.engage]` belong to which mode: what would be ignored is refused. */

import { problemAt } from '../core/errors/problem.ts';
import { expectationOf } from '../core/toml/fields.ts';
import { conflict, type FacultyCheck } from './faculty-check.ts';
import { facultySchema } from './faculty-schema.ts';

/** Keys that both modes have a use for. */
const OF_BOTH: ReadonlySet<string> = new Set(['mode', 'bash_isolation', 'outcome_schema']);
const OF_EXTERNAL: ReadonlySet<string> = new Set(['command', 'args', 'timeout_seconds']);

/** Notes what the mode lacks, and what belongs to the other one. */
export function checkEngageMode(check: FacultyCheck): void {
  const { document, problems } = check;
  const engage = document.written('faculty', 'engage');
  if (typeof engage !== 'object' || engage === null) return;
  const isExternal = document.written('faculty', 'engage', 'mode') === 'external';
  if (isExternal && !('command' in engage)) {
    conflict(check, ['engage'], 'mode = "external" needs command, the program that does the work');
  }
  if (!isExternal && !('model' in engage)) {
    const expected = expectationOf(facultySchema.shape.faculty.shape.engage.shape.model);
    const place = document.placeOf('faculty', 'engage', 'model');
    problems.push(problemAt('config.invalid', place, { expected, value: 'nothing', hint: '' }));
  }
  for (const key of Object.keys(engage)) {
    if (OF_BOTH.has(key) || document.given('faculty', 'engage', key) === undefined) continue;
    const place = ['engage', key];
    if (isExternal && !OF_EXTERNAL.has(key))
      conflict(check, place, 'is for the built-in loop; with mode = "external" remove it');
    if (!isExternal && OF_EXTERNAL.has(key)) conflict(check, place, 'is for mode = "external"; add that, or remove it');
  }
}

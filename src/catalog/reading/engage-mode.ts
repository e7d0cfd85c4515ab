/** Which keys of `[faculty.engage]` belong to which mode. A key that the mode would ignore is refused. */
import { problemAt } from '../../core/errors/problem.ts';
import { expectationOf } from '../../core/toml/fields.ts';
import { facultySchema } from '../faculty/faculty-schema.ts';
import { type EngageMode, MODE_NAMES, modeOf, writtenMode } from '../faculty/modes.ts';
import { conflict, type FacultyCheck, given, tableAt } from './faculty-check.ts';

/** Keys that all modes use. */
const OF_ALL: ReadonlySet<string> = new Set(['mode', 'bash_isolation', 'outcome_schema']);

/** Reports keys that the mode lacks, and keys of another mode. */
export function checkEngageMode(check: FacultyCheck): void {
  const { document, problems } = check;
  const engage = tableAt(check, 'engage');
  if (engage === null) return;
  const mode = writtenMode(document.written('faculty', 'engage', 'mode'));
  const { needs } = modeOf(mode);
  if (needs === 'command' && !('command' in engage)) {
    conflict(check, ['engage'], `mode = "${mode}" needs command, the program that does the work`);
  }
  if (needs === 'model' && !('model' in engage)) {
    const expected = expectationOf(facultySchema.shape.faculty.shape.engage.shape.model);
    const place = document.placeOf('faculty', 'engage', 'model');
    problems.push(problemAt('config.invalid', place, { expected, value: 'nothing', hint: '' }));
  }
  for (const key of Object.keys(engage)) {
    if (OF_ALL.has(key) || given(check, 'engage', key) === undefined) continue;
    const owner = ownerOf(key);
    if (owner === mode || isShared(key, mode)) continue;
    const remedy =
      owner === 'builtin'
        ? `is only for the built-in loop; remove it with mode = "${mode}"`
        : `is for mode = "${owner}"; add that, or remove it`;
    conflict(check, ['engage', key], remedy);
  }
}

function isShared(key: string, mode: EngageMode): boolean {
  return modeOf(mode).shares.some((shared) => (shared.endsWith('_') ? key.startsWith(shared) : key === shared));
}

function ownerOf(key: string): EngageMode {
  return MODE_NAMES.find((mode) => modeOf(mode).own.includes(key)) ?? 'builtin';
}

/** The file rules of a focus. */
import type { Faculty } from '../../../catalog/faculty/faculty.ts';
import type { FileRule } from '../../../process/file-rules.ts';
import type { FileGuard } from '../../guard/file-guard.ts';
import type { RulesNow } from './focus-scope.ts';

/** `directory`: of the focus. `own`: additional rules, of its worktree. */
export function rulesOf(
  directory: string,
  faculty: Faculty,
  guard: FileGuard,
  own: () => readonly FileRule[] = () => [],
): RulesNow {
  return (given = []) => guard.rulesFor({ directory, faculty, given, own: own() });
}

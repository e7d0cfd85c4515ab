/** Notes in the outcome that nothing was written, if every call that writes has failed. */
import { readFailedWrites } from '../../../store/transcript/calls.ts';
import { leavesResult } from '../../../tools/registry.ts';
import type { FocusEnd } from '../scope/focus-end.ts';
import type { Focus } from '../scope/focus-scope.ts';

/**
 * Adds `failed_writes` to the outcome of a completed end. It asks the database only where no call of this run has written: what an
 * earlier attempt wrote counts, too.
 */
export async function withFailedWrites(end: FocusEnd, focus: Focus): Promise<FocusEnd> {
  if (end.kind !== 'completed') return end;
  const { work, row, reach } = focus;
  const { toolset, written } = focus.run;
  const isWhole = row.resumes === 0 && row.number === 1;
  if (written.succeeded > 0 || (isWhole && written.failed === 0)) return end;
  const tools = [...toolset.tools.values()].filter(leavesResult).map(({ name }) => name);
  const failed = tools.length === 0 ? null : await readFailedWrites(reach.db, work.id, tools);
  return failed === null ? end : { ...end, outcome: { ...end.outcome, failed_writes: failed } };
}

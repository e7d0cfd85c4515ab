/** Files that code leaves: artifacts of the work item. */
import { hashedId } from '../../../core/work/hashed-id.ts';
import type { RecordedCall } from '../../../store/transcript/calls.ts';
import { keepFile } from '../../../store/transcript/code-calls.ts';
import type { RecordedTurn } from '../../../store/transcript/turns.ts';
import type { NestedFile } from '../../../tools/tool.ts';
import type { CallsRun, Reach } from '../reach.ts';
import { withinLease } from '../within-lease.ts';

/** Keeps a file of an execution; the same file of the same execution is kept once. `problem`: why it was not kept. */
export async function keepNestedFile(
  { name, bytes, origin }: NestedFile,
  { turn }: RecordedTurn,
  { callId }: RecordedCall,
  { signal }: CallsRun,
  { db, callScope }: Reach,
): Promise<{ readonly artifactId: string } | { readonly problem: string }> {
  const own = origin === undefined ? [name] : [name, origin];
  const id = hashedId(JSON.stringify([callScope.focusId, turn, callId, ...own]));
  const kept = await withinLease(() => keepFile(db, callScope, { id, name, bytes }), signal);
  return 'problem' in kept ? kept : { artifactId: id };
}

/** Files that code leaves: artifacts of the work item. */
import { createHash } from 'node:crypto';
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
  const id = fileId(JSON.stringify([callScope.focusId, turn, callId, ...own]));
  const kept = await withinLease(() => keepFile(db, callScope, { id, name, bytes }), signal);
  return 'problem' in kept ? kept : { artifactId: id };
}

/** A UUID version 8. */
function fileId(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

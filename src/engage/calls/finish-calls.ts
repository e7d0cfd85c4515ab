/** Takes the calls of a turn as far as they go: to their ends, or until they wait. */
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import type { CallsRun, Reach } from './reach.ts';
import type { Reads } from './reads.ts';
import { mayRun, runToolCalls } from './run-calls.ts';
import { collectWaits } from './waiting.ts';

/**
 * Collects what was decided, runs what may run, and collects what was decided meanwhile. In the turn that is returned, every call has ended or
 * waits for something that had not been decided. Rejects when the focus is aborted or its lease is lost.
 */
export async function finishCalls(
  turn: RecordedTurn,
  run: CallsRun,
  reach: Reach,
  reads?: Reads,
): Promise<RecordedTurn> {
  let current = await collectWaits(turn, run, reach);
  while (current.calls.some(mayRun)) {
    current = await collectWaits(await runToolCalls(current, run, reach, reads), run, reach);
  }
  return current;
}

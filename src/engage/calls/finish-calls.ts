/** Takes the calls of a turn as far as they go: to their ends, or until they wait. */
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import type { EarlyCalls } from './early-calls.ts';
import { type CallMeans, mayRun, runToolCalls } from './run-calls.ts';
import { collectWaits } from './waiting.ts';

/**
 * Collects what was decided, runs what may run, and collects what was decided meanwhile. In the turn that is returned, every call has ended or
 * waits for something that had not been decided. Rejects when the focus is aborted or its lease is lost.
 */
export async function finishCalls(turn: RecordedTurn, means: CallMeans, early?: EarlyCalls): Promise<RecordedTurn> {
  let current = await collectWaits(turn, means);
  while (current.calls.some(mayRun)) current = await collectWaits(await runToolCalls(current, means, early), means);
  return current;
}

/** The calls of a turn that wait: those whose wait is over get their results. */
import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { finishToolCalls, type RecordedCall, type RecordedTurn } from '../../store/transcript/transcript.ts';
import { readWaits } from '../../store/transcript/waits.ts';
import { type ResolvedWait, type ToolContext, type ToolOutput, toolError } from '../../tools/tool.ts';
import { type CallMeans, callResult, ended, prepare } from './tool-calls.ts';

/**
 * Gives every waiting call whose wait is resolved its result; the others stay as they are. Result and journal row are one
 * transaction, so that a call is answered once, wherever the daemon dies. Costs nothing for a turn without waiting calls.
 */
export async function collectWaits(turn: RecordedTurn, means: CallMeans): Promise<RecordedTurn> {
  if (!turn.calls.some((call) => call.state === 'waiting')) return turn;
  const waits = new Map((await readWaits(means.db, means.context.workItemId)).map((wait) => [wait.callId, wait]));
  const calls: RecordedCall[] = [];
  for (const call of turn.calls) {
    const wait = waits.get(call.callId);
    const over = call.state === 'waiting' && wait?.resolvedAt && wait.result;
    calls.push(over ? await answer(turn, call, wait as ResolvedWait, means) : call);
  }
  return { ...turn, calls };
}

async function answer(
  turn: RecordedTurn,
  call: RecordedCall,
  wait: ResolvedWait,
  means: CallMeans,
): Promise<RecordedCall> {
  const durationMs = wait.resolvedAt.getTime() - wait.createdAt.getTime();
  const context: ToolContext = { ...means.context, turn: turn.turn, callId: call.callId, signal: means.signal };
  const tell = (output: (tx: Queryable) => Promise<ToolOutput>) =>
    means.db.transaction(async (tx) => {
      const told = await output(tx);
      await finishToolCalls(tx, context, [callResult(turn, call, told, durationMs)]);
      return told;
    });
  try {
    const told = await tell((tx) => outputAfter(turn, call, wait, context, tx, means));
    return ended(turn, call, told, durationMs, means);
  } catch (error) {
    if (means.signal.aborted || isAnimusError(error, 'work.lease_lost', 'db.unreachable')) throw error;
    const told = await tell(async () => toolError(`${call.name} failed after its wait: ${messageOf(error)}`));
    return ended(turn, call, told, durationMs, means);
  }
}

async function outputAfter(
  turn: RecordedTurn,
  call: RecordedCall,
  wait: ResolvedWait,
  context: ToolContext,
  tx: Queryable,
  means: CallMeans,
): Promise<ToolOutput> {
  const prepared = prepare(call, turn, means);
  if (prepared.kind === 'answered') return prepared.output;
  if (prepared.tool.afterWait) return prepared.tool.afterWait(prepared.input, wait, context, tx);
  if (wait.result.timed_out) return toolError('timed out: the wait ended at its deadline without an answer');
  return { content: JSON.stringify(wait.result) };
}

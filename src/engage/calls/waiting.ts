/** Completes the waiting calls of a turn whose waits are over. */
import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Database, Queryable } from '../../store/sql/database.ts';
import { finishToolCalls, type RecordedCall } from '../../store/transcript/calls.ts';
import { type RecordedTurn } from '../../store/transcript/turns.ts';
import { readWaits } from '../../store/transcript/waits.ts';
import { type ResolvedWait, type ToolContext, type ToolOutput, toolError } from '../../tools/tool.ts';
import type { FocusListener } from '../events/events.ts';
import { callResult, ended } from './call-end.ts';
import { type GateMeans, validCall } from './gates.ts';

interface WaitingMeans extends GateMeans {
  readonly db: Database;
  readonly onEvent: FocusListener;
}

/**
 * Gives every waiting call its result if its wait is resolved; the others stay as they are. Result and journal row are in one
 * transaction, so a call is answered once, no matter when the daemon dies. Costs nothing for a turn without waiting calls.
 */
export async function collectWaits(turn: RecordedTurn, means: WaitingMeans): Promise<RecordedTurn> {
  if (!turn.calls.some((call) => call.state === 'waiting')) return turn;
  const waits = new Map((await readWaits(means.db, means.callScope.workItemId)).map((wait) => [wait.callId, wait]));
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
  means: WaitingMeans,
): Promise<RecordedCall> {
  const durationMs = wait.resolvedAt.getTime() - wait.createdAt.getTime();
  const context: ToolContext = {
    ...means.callScope,
    turn: turn.turn,
    callId: call.callId,
    signal: means.signal,
    fileRules: [],
  };
  const record = (outputOf: (tx: Queryable) => Promise<ToolOutput>) =>
    means.db.transaction(async (tx) => {
      const output = await outputOf(tx);
      await finishToolCalls(tx, context, [callResult(turn, call, { output }, durationMs)]);
      return output;
    });
  try {
    const output = await record((tx) => outputAfter(turn, call, wait, context, tx, means));
    return ended(turn, call, { output }, durationMs, means);
  } catch (error) {
    if (means.signal.aborted || isAnimusError(error, 'work.lease_lost', 'work.locked', 'db.unreachable')) throw error;
    const output = await record(async () => toolError(`${call.name} failed after its wait: ${messageOf(error)}`));
    return ended(turn, call, { output }, durationMs, means);
  }
}

async function outputAfter(
  turn: RecordedTurn,
  call: RecordedCall,
  wait: ResolvedWait,
  context: ToolContext,
  tx: Queryable,
  means: WaitingMeans,
): Promise<ToolOutput> {
  // The gates accepted it before it waited, so only tool and input are looked up again.
  const valid = validCall(call, turn, means.toolset);
  if (valid.kind === 'answered') return valid.output;
  if (valid.tool.afterWait) return valid.tool.afterWait(valid.input, wait, context, tx);
  if (wait.result.timed_out) return toolError('timed out: the wait ended at its deadline without an answer');
  return { content: JSON.stringify(wait.result) };
}

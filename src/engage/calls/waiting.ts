/** Completes the waiting calls of a turn whose waits are over, and lets those run that a person has approved. */
import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { finishToolCalls, type RecordedCall } from '../../store/transcript/calls.ts';
import { type RecordedTurn } from '../../store/transcript/turns.ts';
import { readWaits } from '../../store/transcript/waits.ts';
import { record } from '../../telemetry/metrics.ts';
import { type ResolvedWait, type ToolContext, type ToolOutput, toolError } from '../../tools/tool.ts';
import { notApproved } from '../prompt/people.ts';
import { callResult, ended, finish } from './call-end.ts';
import { validCall } from './gates.ts';
import type { CallsRun, Reach } from './reach.ts';

/**
 * Gives every waiting call its result if its wait is resolved; the others stay as they are. A call that a person has approved is returned as
 * `approved`, with the input that was approved, and still has to run. Result and journal row are in one transaction, so a call is answered once,
 * no matter when the daemon dies. Costs nothing for a turn without waiting calls.
 */
export async function collectWaits(turn: RecordedTurn, run: CallsRun, reach: Reach): Promise<RecordedTurn> {
  if (!turn.calls.some((call) => call.state === 'waiting')) return turn;
  const waits = new Map((await readWaits(reach.db, reach.callScope.workItemId)).map((wait) => [wait.callId, wait]));
  const calls: RecordedCall[] = [];
  for (const call of turn.calls) {
    const wait = waits.get(call.callId);
    const over = call.state === 'waiting' && wait?.resolvedAt && wait.result;
    calls.push(over ? await settle(turn, call, wait as ResolvedWait, run, reach) : call);
  }
  return { ...turn, calls };
}

async function settle(
  turn: RecordedTurn,
  call: RecordedCall,
  wait: ResolvedWait,
  run: CallsRun,
  reach: Reach,
): Promise<RecordedCall> {
  const durationMs = wait.resolvedAt.getTime() - wait.createdAt.getTime();
  if (wait.subject !== null) {
    const decision = wait.result.timed_out ? 'timed_out' : (wait.result.decision ?? 'other');
    record('work.approvals.duration', durationMs / 1000, { faculty: reach.callScope.faculty, decision });
  }
  if (wait.subject !== 'tool_call') return answer(turn, call, wait, durationMs, run, reach);
  if (wait.result.decision === 'approve') return { ...call, finalInput: wait.finalInput, approved: true };
  const { by, note } = wait.result;
  const output = toolError(notApproved(wait.result, wait.resolvedAt), { denied_by: by ?? null, note: note ?? null });
  return finish(turn, { ...call, finalInput: null }, { state: 'denied', output }, durationMs, run);
}

async function answer(
  turn: RecordedTurn,
  call: RecordedCall,
  wait: ResolvedWait,
  durationMs: number,
  run: CallsRun,
  reach: Reach,
): Promise<RecordedCall> {
  const context: ToolContext = {
    ...reach.callScope,
    turn: turn.turn,
    callId: call.callId,
    signal: run.signal,
    fileRules: [],
  };
  const journaled = (outputOf: (tx: Queryable) => Promise<ToolOutput>) =>
    reach.db.transaction(async (tx) => {
      const output = await outputOf(tx);
      await finishToolCalls(tx, context, [callResult(turn, call, { output }, durationMs)]);
      return output;
    });
  try {
    const output = await journaled((tx) => outputAfter(turn, call, wait, context, tx, reach));
    return ended(turn, call, { output }, durationMs, run);
  } catch (error) {
    if (run.signal.aborted || isAnimusError(error, 'work.lease_lost', 'work.locked', 'db.unreachable')) throw error;
    const output = await journaled(async () => toolError(`${call.name} failed after its wait: ${messageOf(error)}`));
    return ended(turn, call, { output }, durationMs, run);
  }
}

/** Somebody has said something to the work, and asked that it does not wait (docs/steering.md). */
const INTERRUPTED_WAIT =
  'interrupted: a message to you ended this wait; it follows. What you waited for has not come yet: wait again if you still need it.';

async function outputAfter(
  turn: RecordedTurn,
  call: RecordedCall,
  wait: ResolvedWait,
  context: ToolContext,
  tx: Queryable,
  { toolset }: Reach,
): Promise<ToolOutput> {
  // The gates accepted it before it waited, so only tool and input are looked up again.
  const valid = await validCall(call, turn, toolset);
  if (valid.kind === 'answered') return valid.output;
  if (wait.result['interrupted_by_message']) return { content: INTERRUPTED_WAIT };
  if (valid.tool.afterWait) return valid.tool.afterWait(valid.input, wait, context, tx);
  if (wait.result.timed_out) return toolError('timed out: the wait ended at its deadline without an answer');
  return { content: JSON.stringify(wait.result) };
}

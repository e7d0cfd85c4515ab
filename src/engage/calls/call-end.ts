/** How a tool call ends: in the journal, and as an event for watchers. */
import { roundMs } from '../../core/lifecycle/round-ms.ts';
import { toText } from '../../store/sql/json.ts';
import type { CallResult, RecordedCall } from '../../store/transcript/calls.ts';
import { rowOfShown, type ShownFile } from '../../store/transcript/shown-files.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import type { WaitRequest } from '../../store/transcript/waits.ts';
import type { ToolOutput } from '../../tools/tool.ts';
import { changedInputNote } from '../prompt/prompt.ts';
import type { CallsRun } from './reach.ts';

/** An output, and the call's state if `isError` does not determine it. */
export interface CallEnd {
  readonly output: ToolOutput;
  readonly state?: CallResult['state'];
  /** The files of the output that the model is shown. */
  readonly shown?: readonly ShownFile[];
}

/** Journals the end and returns the call with its result. */
export function finish(
  turn: RecordedTurn,
  call: RecordedCall,
  end: CallEnd,
  durationMs: number,
  run: CallsRun,
): RecordedCall {
  run.journal.add(callResult(turn, call, end, durationMs));
  return ended(turn, call, end, durationMs, run);
}

/** Returns the call with its result, which is already in the journal, and notifies watchers. */
export function ended(
  turn: RecordedTurn,
  call: RecordedCall,
  end: CallEnd,
  durationMs: number,
  { onEvent }: Pick<CallsRun, 'onEvent'>,
): RecordedCall {
  const { state, output: text, isError } = callResult(turn, call, end, durationMs);
  onEvent({
    type: 'observation',
    turn: turn.turn,
    callId: call.callId,
    parentCallId: null,
    name: call.name,
    isError,
    output: text,
    durationMs: roundMs(durationMs),
  });
  tellEntry(call.name, end.output, { onEvent });
  const { shown = [] } = end;
  return { ...call, state, output: text, isError, ...(shown.length > 0 && { shown }) };
}

/** Notifies watchers of the ledger entry that a call wrote, if it wrote one. */
export function tellEntry(
  name: string,
  { isError = false, details }: ToolOutput,
  { onEvent }: Pick<CallsRun, 'onEvent'>,
): void {
  if (name !== 'ledger_append' || isError) return;
  const { seq, type, content } = details as { seq: number; type: 'plan'; content: string };
  onEvent({ type: 'ledger', seq, entryType: type, content });
}

/** Returns the call as waiting, and notifies watchers. */
export function waiting(
  turn: RecordedTurn,
  call: RecordedCall,
  wait: WaitRequest,
  { onEvent }: Pick<CallsRun, 'onEvent'>,
): RecordedCall {
  const deadline = wait.deadline?.toISOString() ?? null;
  onEvent({ type: 'waiting', callId: call.callId, kind: wait.kind, deadline });
  return { ...call, state: 'waiting' };
}

/** A call's end in the form of the journal. */
export function callResult(turn: RecordedTurn, call: RecordedCall, end: CallEnd, durationMs: number): CallResult {
  const isError = end.output.isError ?? false;
  const changed = call.finalInput === null || end.state === 'denied' ? '' : changedInputNote(call.finalInput);
  return {
    turn: turn.turn,
    callId: call.callId,
    state: end.state ?? (end.output.inDoubt ? 'in_doubt' : isError ? 'failed' : 'done'),
    // Providers refuse an empty result of a failed call, and an empty result is not useful anyway.
    output: changed + (toText(end.output.content) || '(no output)'),
    isError,
    details: detailsOf(end),
    durationMs,
  };
}

/** The files that are shown are named by the engine alone: what they name is sent. */
function detailsOf({ output: { details }, shown = [] }: CallEnd): CallResult['details'] {
  if (details === undefined && shown.length === 0) return null;
  const { shown: _notOurs, ...own } = details ?? {};
  return { ...own, ...(shown.length > 0 && { shown: shown.map(rowOfShown) }) };
}

/** Asks a person about a call: unless a grant covers it, it waits for a decision. */
import { askPerson, type Grant, grantsFor } from '../../store/transcript/approvals.ts';
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { count } from '../../telemetry/metrics.ts';
import { toolError } from '../../tools/tool.ts';
import { nobodyAnswers } from '../prompt/people.ts';
import { finish, waiting } from './call-end.ts';
import { type Ask, gatedCall } from './gates.ts';
import type { CallsRun, Reach } from './reach.ts';

/** The input of a call where it is not what the model wrote. */
export function changedInput(call: RecordedCall, written: unknown): { readonly value: unknown } | null {
  return written === (call.finalInput ?? call.input) ? null : { value: written };
}

/** The grant that lets the call run without a person, or null. */
export async function grantOf(
  turn: RecordedTurn,
  call: RecordedCall,
  ask: Ask,
  { signal }: CallsRun,
  { db, callScope, guard }: Reach,
): Promise<Grant | null> {
  const changed = changedInput(call, ask.call.written);
  const grants = await grantsFor(db, callScope.focusId, turn.turn, call.callId, changed, guard.fourEyes);
  const gated = gatedCall(call, turn, ask.call, callScope, signal);
  return grants.find(({ pattern }) => pattern === null || guard.covers?.(pattern, gated) === true) ?? null;
}

/** The call, waiting for a person; denied where nobody can be asked. */
export async function ask(
  turn: RecordedTurn,
  call: RecordedCall,
  asked: Ask,
  run: CallsRun,
  { db, callScope, guard }: Reach,
): Promise<RecordedCall> {
  const { reason, gate, seconds } = asked;
  if (guard.unattended) {
    return finish(turn, call, { state: 'denied', output: toolError(nobodyAnswers(reason), { gate }) }, 0, run);
  }
  const changed = changedInput(call, asked.call.written);
  const asks = {
    subject: 'tool_call',
    request: { reason, gate, ...(guard.fourEyes && { four_eyes: true }) },
    seconds,
  } as const;
  const { deadline, refused } = await askPerson(db, callScope, turn.turn, call.callId, 'approval', asks, changed);
  if (refused !== null) {
    const output = toolError(`${reason}, and nobody is asked: ${refused}`, { gate });
    return finish(turn, call, { state: 'denied', output }, 0, run);
  }
  count('work.approvals.asked', 1, { faculty: callScope.faculty, subject: 'tool_call' });
  const finalInput = changed ? changed.value : call.finalInput;
  return waiting(turn, { ...call, finalInput }, { kind: 'approval', deadline }, run);
}

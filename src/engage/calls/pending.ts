/** Decides, before an answer is recorded, which of its calls are recorded as pending. */
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { gatedCall, passGates, validCall } from './gates.ts';
import type { Reach } from './reach.ts';

/**
 * The turn with those calls as `pending` that a gate judges later, that a person is asked about, or whose input a gate changes: what stands between
 * the answer and their run is recorded, so that a crash before that does not leave them in doubt. All others are `started`. A call
 * that cannot run is not pending: its answer is an error. Nothing is judged, and nothing awaited, if the focus has no gates.
 */
export async function withPending(turn: RecordedTurn, signal: AbortSignal, reach: Reach): Promise<RecordedTurn> {
  if (reach.guard.gates.length === 0 || turn.calls.length === 0) return turn;
  const calls: RecordedCall[] = [];
  for (const call of turn.calls)
    calls.push((await isPending(call, turn, signal, reach)) ? { ...call, state: 'pending' } : call);
  return { ...turn, calls };
}

async function isPending(call: RecordedCall, turn: RecordedTurn, signal: AbortSignal, reach: Reach): Promise<boolean> {
  const valid = await validCall(call, turn, reach.toolset);
  if (valid.kind === 'answered') return false;
  const gated = gatedCall(call, turn, valid, reach.callScope, signal);
  if (reach.guard.gates.some((gate) => gate.when(gated) === 'later')) return true;
  const passage = await passGates(call, turn, signal, reach);
  return passage.kind === 'ask' || (passage.kind === 'ready' && passage.written !== valid.written);
}

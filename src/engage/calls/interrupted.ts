/** The calls of a turn that a crash interrupted. */
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import type { Tool } from '../../tools/tool.ts';
import { IN_DOUBT_RESULT } from '../prompt/prompt.ts';
import type { Journal } from './journal.ts';

/**
 * Settles every call that had started and not ended. It is run again if that is safe (its tool permits it, or its effect would have
 * been recorded with it); otherwise it is reported to the model as in doubt.
 */
export function settleInterrupted(
  turn: RecordedTurn,
  toolset: ReadonlyMap<string, Tool>,
  journal: Journal,
): RecordedTurn {
  const calls = turn.calls.map((call): RecordedCall => {
    const tool = toolset.get(call.name);
    const safe = !tool || tool.kind === 'database' || tool.idempotent;
    if (call.output !== null || safe || call.state !== 'started') return call;
    journal.add({
      turn: turn.turn,
      callId: call.callId,
      state: 'in_doubt',
      output: IN_DOUBT_RESULT,
      isError: true,
      details: null,
      durationMs: 0,
    });
    return { ...call, state: 'in_doubt', output: IN_DOUBT_RESULT, isError: true };
  });
  return { ...turn, calls };
}

/** Code that a crash interrupted. */
import type { RecordedCall } from '../../../store/transcript/calls.ts';
import { type RecordedCodeCall, readCodeCalls, recordCodeCalls } from '../../../store/transcript/code-calls.ts';
import type { RecordedTurn } from '../../../store/transcript/turns.ts';
import type { Tool } from '../../../tools/tool.ts';
import { interruptedCode } from '../../prompt/code-texts.ts';
import { IN_DOUBT_RESULT } from '../../prompt/prompt.ts';
import type { CallsRun, Reach } from '../reach.ts';
import { withinLease } from '../within-lease.ts';

/**
 * Gives code that had started and not ended its result: it is in doubt, and the result lists the calls that it had made. Of these, calls that had started
 * and not ended are in doubt, too. Costs nothing for a turn without such code.
 */
export async function settleExecutions(turn: RecordedTurn, run: CallsRun, reach: Reach): Promise<RecordedTurn> {
  const interrupted = turn.calls.filter((call) => isInterrupted(call, reach.toolset));
  if (interrupted.length === 0) return turn;
  const made = await readCodeCalls(reach.db, reach.callScope.focusId, turn.turn);
  const settled = new Map<string, RecordedCall>();
  for (const call of interrupted) {
    const own = made.filter(({ parentCallId }) => parentCallId === call.callId);
    // A tool that the faculty no longer has: only its calls tell that it ran code.
    if (own.length === 0 && !reach.toolset.has(call.name)) continue;
    settled.set(call.callId, await settle(turn, call, own, run, reach));
  }
  return { ...turn, calls: turn.calls.map((call) => settled.get(call.callId) ?? call) };
}

function isInterrupted({ name, state, output }: RecordedCall, toolset: ReadonlyMap<string, Tool>): boolean {
  if (state !== 'started' || output !== null) return false;
  const tool = toolset.get(name);
  return !tool || (tool.kind === 'world' && tool.callsTools === true);
}

async function settle(
  turn: RecordedTurn,
  call: RecordedCall,
  made: readonly RecordedCodeCall[],
  { journal, signal }: CallsRun,
  { db, callScope }: Reach,
): Promise<RecordedCall> {
  const open = made.filter(({ output }) => output === null);
  if (open.length > 0) {
    const rows = open.map(({ n, name, input }) => ({ n, name, input, ...IN_DOUBT }));
    await withinLease(() => recordCodeCalls(db, callScope, turn.turn, call.callId, rows), signal);
  }
  const output = interruptedCode(
    made.map((one) => ({
      ...one,
      input: JSON.stringify(one.input),
      state: one.output === null ? 'in_doubt' : one.state,
    })),
  );
  const end = { state: 'in_doubt', output, isError: true } as const;
  journal.add({ turn: turn.turn, callId: call.callId, ...end, details: { calls: made.length }, durationMs: 0 });
  return { ...call, ...end };
}

const IN_DOUBT = {
  finalInput: null,
  state: 'in_doubt',
  output: IN_DOUBT_RESULT,
  outputBytes: Buffer.byteLength(IN_DOUBT_RESULT),
  isError: true,
  details: null,
  durationMs: 0,
} as const;

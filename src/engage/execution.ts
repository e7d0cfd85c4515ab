/** The work of a focus without a model that makes one tool call: recorded like a call of a model, run once, and in doubt after a crash. */
import { randomUUID } from 'node:crypto';
import type { ModelAnswer } from '../core/work/conversation.ts';
import { beginTurn, type TurnBeginning } from '../store/transcript/begin-turn.ts';
import type { RecordedCall } from '../store/transcript/calls.ts';
import { ownPart, type Transcript } from '../store/transcript/transcript.ts';
import { answeredTurn, type RecordedTurn, recordTurn } from '../store/transcript/turns.ts';
import { finishCalls } from './calls/finish-calls.ts';
import { settleInterrupted } from './calls/interrupted.ts';
import { settleExecutions } from './calls/nested/settle-executions.ts';
import { withPending } from './calls/pending.ts';
import type { CallsRun, Reach } from './calls/reach.ts';
import { withinLease } from './calls/within-lease.ts';
import type { Refusal } from './turn/begin-turn.ts';
import type { EngageEnd } from './verdict/engage-end.ts';
import { refusedEnd } from './verdict/refused-end.ts';

/** What the run of a call holds. */
interface ExecutionRun extends CallsRun {
  /** Asks it to begin nothing more. A call that is running goes on. */
  readonly drain: AbortSignal;
}

/** The one call of a work item. */
export interface OneCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether a call that an earlier run has ended is to be made again, because nothing came of it. */
  again(call: RecordedCall): boolean;
}

/** The call with its end, or why there is none (yet). */
export type ExecutionEnd =
  | { readonly kind: 'ended'; readonly call: RecordedCall }
  | Exclude<EngageEnd, { readonly kind: 'done' | 'failed' | 'model_failed' }>;

/** Makes the call unless it was made; settles one that a crash interrupted. Rejects when `signal` aborts or the lease is lost. */
export async function makeOneCall(
  one: OneCall,
  recorded: Transcript,
  run: ExecutionRun,
  reach: Reach,
): Promise<ExecutionEnd> {
  return make(one, recorded, run, reach).catch(async (error: unknown) => {
    // Whatever stopped the focus: a call whose end is not recorded would be in doubt. The first failure is the one that counts.
    await run.journal.flush(run.signal).catch(() => {});
    throw error;
  });
}

async function make(one: OneCall, recorded: Transcript, run: ExecutionRun, reach: Reach): Promise<ExecutionEnd> {
  const newest = ownPart(recorded).turns.at(-1);
  const settled = newest && settleInterrupted(await settleExecutions(newest, run, reach), reach.toolset, run.journal);
  let turn = settled;
  if (!settled || settled.calls.every((call) => call.output !== null && one.again(call))) {
    if (run.drain.aborted) return { kind: 'interrupted', reason: 'drained' };
    const begun = await begin((newest?.turn ?? 0) + 1, one, run, reach);
    if ('refused' in begun) return begun.refused;
    turn = begun.turn;
  }
  const { calls } = await finishCalls(turn!, run, reach);
  await run.journal.flush(run.signal);
  const [call] = calls;
  return !call || call.output === null ? { kind: 'parked' } : { kind: 'ended', call };
}

/** Records the call as begun. */
async function begin(
  turn: number,
  { name, input }: OneCall,
  { signal, onEvent }: ExecutionRun,
  reach: Reach,
): Promise<{ readonly turn: RecordedTurn } | { readonly refused: Exclude<ExecutionEnd, { kind: 'ended' }> }> {
  const { db, callScope, guard } = reach;
  const beginning = await withinLease(() => beginFree(turn, reach), signal);
  if (beginning.permit !== 'go') {
    const refused = refusedEnd(refusalOf(beginning), guard);
    return { refused: refused as Exclude<ExecutionEnd, { kind: 'ended' }> };
  }
  const answer = answerWith(turn, name, input);
  const begun = await withPending(answeredTurn(turn, answer), signal, reach);
  await withinLease(() => recordTurn(db, callScope, begun, answer, 0), signal);
  const { provider, model } = answer;
  onEvent({ type: 'turn', turn, model: `${provider}/${model}`, inputTokens: null, outputTokens: null });
  for (const { callId } of begun.calls) onEvent({ type: 'call', turn, callId, parentCallId: null, name, input });
  return { turn: begun };
}

/** It costs nothing, but work whose limits are used up does not go on. Nobody here reads messages: the next try has delivered them. */
async function beginFree(turn: number, { db, callScope }: Reach): Promise<TurnBeginning> {
  for (;;) {
    const begun = await beginTurn(db, callScope, turn, { usd: 0, tokens: 0, request: randomUUID() }, []);
    if (begun.permit !== 'mail') return begun;
  }
}

function refusalOf(beginning: Exclude<TurnBeginning, { permit: 'go' }>): Refusal {
  const { permit } = beginning;
  return { kind: 'refused', permit, ...(permit === 'budget' && { exceeded: beginning }) };
}

/** What takes the place of a model's answer. */
function answerWith(turn: number, name: string, input: OneCall['input']): ModelAnswer {
  return {
    provider: 'animus',
    model: 'code',
    responseId: null,
    content: [{ type: 'tool_call', id: `run-${turn}`, name, input }],
    stopReason: 'tool_use',
    rawStopReason: null,
    cutToolCalls: [],
    usage: null,
    timeToFirstTokenMs: null,
    durationMs: 0,
  };
}

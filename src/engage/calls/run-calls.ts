/** The tool calls of one answer: run in parallel, their ends journaled. Failures are results, never exceptions. */
import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Database } from '../../store/sql/database.ts';
import { type RecordedCall, startCall } from '../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { isApproved } from '../../store/transcript/waits.ts';
import { type Tool, toolError } from '../../tools/tool.ts';
import type { FocusListener } from '../events/events.ts';
import { approvalVoid } from '../prompt/people.ts';
import { ask, changedInput, grantOf } from './ask-person.ts';
import { announce, finish } from './call-end.ts';
import type { CallScope } from './call-scope.ts';
import type { EarlyCalls, EarlyEnd } from './early-calls.ts';
import type { CallGuard } from './gate.ts';
import { type Ask, judgesNow, passGates, type ValidCall } from './gates.ts';
import type { Journal } from './journal.ts';
import { keepRun, runCall } from './run-call.ts';
import { createSlots } from './slots.ts';
import { withinLease } from './within-lease.ts';

/** The dependencies of running the calls of a turn. */
export interface CallMeans extends CallGuard {
  readonly db: Database;
  readonly journal: Journal;
  readonly toolset: ReadonlyMap<string, Tool>;
  readonly callScope: CallScope;
  readonly maxParallelTools: number;
  readonly signal: AbortSignal;
  readonly onEvent: FocusListener;
}

/** Whether a call has still to be run: it has not ended, and waits for nobody. */
export function mayRun({ output, state, approved }: RecordedCall): boolean {
  return output === null && (state !== 'waiting' || approved === true);
}

/**
 * Runs every call of the turn that may run, and returns the turn with all results in the order of the calls.
 * Those that were started early are only recorded here. Database calls run one after the other, so that ledger entries keep the order of their
 * calls; the others run in parallel, at most `maxParallelTools`. Rejects when the focus is aborted or its lease is lost.
 */
export async function runToolCalls(
  turn: RecordedTurn,
  focusMeans: CallMeans,
  early?: EarlyCalls,
): Promise<RecordedTurn> {
  // A call that ends the focus (because its lease is lost) stops the other calls too.
  const siblings = new AbortController();
  const means = { ...focusMeans, signal: AbortSignal.any([focusMeans.signal, siblings.signal]) };
  // Before any call of the turn ends, so that a focus with results of such calls has had its directory.
  if (turn.calls.some((call) => call.output === null && means.toolset.get(call.name)?.kind === 'world')) {
    await means.callScope.makeDirectory();
  }
  const takeSlot = early?.takeSlot ?? createSlots(means.maxParallelTools);
  let database: Promise<unknown> = Promise.resolve();

  const running = turn.calls.map((call) => {
    if (!mayRun(call)) return Promise.resolve(call);
    const running = early?.endOf(call.callId);
    if (running) return keepEarly(turn, call, running, means);
    const work = () => gateAndRun(turn, call, means);
    if (means.toolset.get(call.name)?.kind !== 'database') return takeSlot(work);
    const mine = database.then(work);
    database = mine.catch(() => undefined); // allSettledOrThrow below throws the failure
    return mine;
  });
  const stopAll = (error: unknown) => {
    siblings.abort(error);
    return early?.stop(error);
  };
  for (const run of running) run.catch(stopAll);
  return { ...turn, calls: await allSettledOrThrow(running) };
}

async function gateAndRun(turn: RecordedTurn, call: RecordedCall, means: CallMeans): Promise<RecordedCall> {
  // A call that has started or was approved has passed the others before.
  const passage = await passGates(call, turn, means, call.state === 'pending' ? undefined : judgesNow);
  switch (passage.kind) {
    case 'answered':
      return finish(turn, call, passage, 0, means);
    case 'ask':
      return runIfAllowed(turn, call, passage, means);
    case 'ready':
      return startAndRun(turn, call, passage, null, means);
    default:
      return passage satisfies never;
  }
}

/** A call that a person or a grant has to allow. One that was approved, started and interrupted may run again. */
async function runIfAllowed(
  turn: RecordedTurn,
  call: RecordedCall,
  asked: Ask,
  means: CallMeans,
): Promise<RecordedCall> {
  const approved =
    call.approved === true ||
    (call.state === 'started' && (await isApproved(means.db, means.callScope, turn.turn, call.callId)));
  if (approved) return startAndRun(turn, call, asked.call, null, means);
  const grant = await grantOf(turn, call, asked, means);
  if (grant) return startAndRun(turn, call, asked.call, grant.id, means);
  return ask(turn, call, asked, means);
}

async function startAndRun(
  turn: RecordedTurn,
  call: RecordedCall,
  valid: ValidCall,
  grantId: string | null,
  means: CallMeans,
): Promise<RecordedCall> {
  const started = await start(turn, call, valid, grantId, means);
  if ('refused' in started) {
    const output = toolError(approvalVoid(started.refused));
    return finish(turn, call, { state: 'denied', output }, 0, means);
  }
  return runCall(turn, started, valid, means);
}

/** A call that was recorded as pending, was approved or had its input changed is recorded as started before it runs. */
async function start(
  turn: RecordedTurn,
  call: RecordedCall,
  { written }: ValidCall,
  grantId: string | null,
  { db, callScope, signal }: CallMeans,
): Promise<RecordedCall | { readonly refused: string }> {
  const changed = changedInput(call, written);
  if (call.state === 'started' && changed === null) return call;
  try {
    await withinLease(() => startCall(db, callScope, turn.turn, call.callId, changed, grantId), signal);
  } catch (error) {
    if (isAnimusError(error, 'work.state')) return { refused: messageOf(error) };
    throw error;
  }
  return { ...call, state: 'started', finalInput: changed ? changed.value : call.finalInput };
}

async function keepEarly(
  turn: RecordedTurn,
  call: RecordedCall,
  running: Promise<EarlyEnd>,
  means: CallMeans,
): Promise<RecordedCall> {
  announce(turn, call, means);
  const { end, durationMs } = await running;
  return keepRun(turn, call, { end, durationMs, recorded: false }, means);
}

/** Waits for all, then throws the first failure, so that no call is still running when an error is thrown. */
async function allSettledOrThrow<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  // The first rejection in call order may only be a consequence; the abort reason is the original failure.
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

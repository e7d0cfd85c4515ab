/** The tool calls of one answer: run in parallel, their ends journaled. Failures are results, never exceptions. */
import type { Database } from '../../store/sql/database.ts';
import { type RecordedCall, startCall } from '../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { type Tool, toolError } from '../../tools/tool.ts';
import type { FocusListener } from '../events/events.ts';
import { announce, finish } from './call-end.ts';
import type { EarlyCalls, EarlyEnd } from './early-calls.ts';
import type { CallGuard } from './gate.ts';
import { judgesNow, passGates, type ValidCall } from './gates.ts';
import type { Journal } from './journal.ts';
import { type CallScope, keepRun, runCall } from './run-call.ts';
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

/**
 * Runs every call of the turn that has not ended, and returns the turn with all results in the order of the calls.
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
    if (call.output !== null || call.state === 'waiting') return Promise.resolve(call);
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
  // A call that has started has passed the others before: it runs for the first time, or again after a crash.
  const passage = await passGates(call, turn, means, call.state === 'started' ? judgesNow : undefined);
  switch (passage.kind) {
    case 'answered':
      return finish(turn, call, passage, 0, means);
    case 'ask': {
      const output = toolError(`this call needs a person's approval, which nobody can give yet (${passage.reason})`);
      return finish(turn, call, { state: 'denied', output }, 0, means);
    }
    case 'ready':
      return runCall(turn, await start(turn, call, passage, means), passage, means);
  }
}

/** A call that was recorded as pending, or whose input was changed, is recorded as started before it runs. */
async function start(
  turn: RecordedTurn,
  call: RecordedCall,
  { written }: ValidCall,
  { db, callScope, signal }: CallMeans,
): Promise<RecordedCall> {
  const changed = written !== (call.finalInput ?? call.input);
  if (call.state === 'started' && !changed) return call;
  const finalInput = changed ? { value: written } : null;
  await withinLease(() => startCall(db, callScope, turn.turn, call.callId, finalInput), signal);
  return { ...call, state: 'started', finalInput: changed ? written : call.finalInput };
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

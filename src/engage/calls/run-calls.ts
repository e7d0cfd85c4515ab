/** The tool calls of one answer: run in parallel, their ends journaled. Failures are results, never exceptions. */
import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import { type RecordedCall, startCall } from '../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { isApproved } from '../../store/transcript/waits.ts';
import { toolError } from '../../tools/tool.ts';
import { approvalVoid } from '../prompt/people.ts';
import { ask, changedInput, grantOf } from './ask-person.ts';
import { finish } from './call-end.ts';
import { type Ask, judgesNow, passGates, type ValidCall } from './gates.ts';
import type { CallsRun, Reach } from './reach.ts';
import type { ReadEnd, Reads } from './reads.ts';
import { keepRun, runCall } from './run-call.ts';
import { createSlots } from './slots.ts';
import { withinLease } from './within-lease.ts';

/** Whether a call has still to be run: it has not ended, and waits for nobody. */
export function mayRun({ output, state, approved }: RecordedCall): boolean {
  return output === null && (state !== 'waiting' || approved === true);
}

/**
 * Runs every call of the turn that may run, and returns the turn with all results in the order of the calls.
 * Those that only read and were started before (`reads`) are only recorded here. Database calls run one after the other, so that ledger entries keep the order of their
 * calls; the others run in parallel, at most `maxParallelTools`. Rejects when the focus is aborted or its lease is lost.
 */
export async function runToolCalls(
  turn: RecordedTurn,
  focusRun: CallsRun,
  reach: Reach,
  reads?: Reads,
): Promise<RecordedTurn> {
  // A call that ends the focus (because its lease is lost) stops the other calls too.
  const siblings = new AbortController();
  const run = { ...focusRun, signal: AbortSignal.any([focusRun.signal, siblings.signal]) };
  // Before any call of the turn ends, so that a focus with results of such calls has had its directory.
  if (turn.calls.some((call) => call.output === null && reach.toolset.get(call.name)?.kind === 'world')) {
    await reach.callScope.makeDirectory();
  }
  const takeSlot = reads?.takeSlot ?? createSlots(reach.maxParallelTools);
  let database: Promise<unknown> = Promise.resolve();

  const running = turn.calls.map((call) => {
    if (!mayRun(call)) return Promise.resolve(call);
    const read = reads?.endOf(call.callId);
    if (read) return keepRead(turn, call, read, run, reach);
    const work = () => gateAndRun(turn, call, run, reach);
    if (reach.toolset.get(call.name)?.kind !== 'database') return takeSlot(work);
    const mine = database.then(work);
    database = mine.catch(() => undefined); // allSettledOrThrow below throws the failure
    return mine;
  });
  const stopAll = (error: unknown) => {
    siblings.abort(error);
    return reads?.stop(error);
  };
  for (const one of running) one.catch(stopAll);
  return { ...turn, calls: await allSettledOrThrow(running) };
}

async function gateAndRun(turn: RecordedTurn, call: RecordedCall, run: CallsRun, reach: Reach): Promise<RecordedCall> {
  // A call that has started or was approved has passed the others before.
  const passage = await passGates(call, turn, run.signal, reach, call.state === 'pending' ? undefined : judgesNow);
  switch (passage.kind) {
    case 'answered':
      return finish(turn, call, passage, 0, run);
    case 'ask':
      return runIfAllowed(turn, call, passage, run, reach);
    case 'ready':
      return startAndRun(turn, call, passage, null, run, reach);
    default:
      return passage satisfies never;
  }
}

/** A call that a person or a grant has to allow. One that was approved, started and interrupted may run again. */
async function runIfAllowed(
  turn: RecordedTurn,
  call: RecordedCall,
  asked: Ask,
  run: CallsRun,
  reach: Reach,
): Promise<RecordedCall> {
  const approved =
    call.approved === true ||
    (call.state === 'started' && (await isApproved(reach.db, reach.callScope, turn.turn, call.callId)));
  if (approved) return startAndRun(turn, call, asked.call, null, run, reach);
  const grant = await grantOf(turn, call, asked, run, reach);
  if (grant) return startAndRun(turn, call, asked.call, grant.id, run, reach);
  return ask(turn, call, asked, run, reach);
}

async function startAndRun(
  turn: RecordedTurn,
  call: RecordedCall,
  valid: ValidCall,
  grantId: string | null,
  run: CallsRun,
  reach: Reach,
): Promise<RecordedCall> {
  const started = await start(turn, call, valid, grantId, run, reach);
  if ('refused' in started) {
    const output = toolError(approvalVoid(started.refused));
    return finish(turn, call, { state: 'denied', output }, 0, run);
  }
  return runCall(turn, started, valid, run, reach);
}

/** A call that was recorded as pending, was approved or had its input changed is recorded as started before it runs. */
async function start(
  turn: RecordedTurn,
  call: RecordedCall,
  { written }: ValidCall,
  grantId: string | null,
  { signal }: CallsRun,
  { db, callScope }: Reach,
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

async function keepRead(
  turn: RecordedTurn,
  call: RecordedCall,
  read: Promise<ReadEnd>,
  run: CallsRun,
  reach: Reach,
): Promise<RecordedCall> {
  const { end, durationMs } = await read;
  return keepRun(turn, call, { end, durationMs, recorded: false }, run, reach);
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

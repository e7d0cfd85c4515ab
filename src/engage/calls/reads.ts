/**
 * Calls that run while their answer is on its way to the disk. They only read, so a lost answer leaves no trace of them.
 * Their results are recorded with the answer or after it, and sent after that.
 */
import { AnimusError } from '../../core/errors/errors.ts';
import type { CallResult, RecordedCall } from '../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { hasFiles } from '../../tools/media.ts';
import type { Tool } from '../../tools/tool.ts';
import { type CallEnd, callResult, ended } from './call-end.ts';
import { passGates } from './gates.ts';
import type { CallsRun, Reach } from './reach.ts';
import { executeCall } from './run-call.ts';
import { createSlots, type TakeSlot } from './slots.ts';

/** How long the record of an answer waits for calls that only read, so that one statement records both. */
const TOGETHER_MS = 2;

/** The end of a call that is not recorded yet. */
export interface ReadEnd {
  readonly end: CallEnd;
  readonly durationMs: number;
}

/** The calls of an answer that were started before it is recorded. */
export interface Reads {
  /** The end of a call that was started here; undefined for any other. Rejects with what ends the focus. */
  endOf(callId: string): Promise<ReadEnd> | undefined;
  /** The turn with its results, if every call was started here and has ended within 2 ms; otherwise null. */
  wholeTurn(): Promise<WholeTurn | null>;
  /** For the calls of the turn that were not started here. */
  readonly takeSlot: TakeSlot;
  /** Aborts what still runs, and resolves when nothing does. */
  stop(reason: unknown): Promise<void>;
}

/** A turn all of whose calls have ended. */
export interface WholeTurn {
  readonly turn: RecordedTurn;
  /** In the order of the calls. */
  readonly ends: readonly CallResult[];
  /** Notifies watchers; call it when the turn has been recorded. */
  announce(): void;
}

/**
 * Starts the first calls of an answer, up to the first that may not run yet. A later call that reads may depend on the one before it.
 * A call does not start if something else sees its result before that is recorded.
 */
export function startReads(turn: RecordedTurn, focusRun: CallsRun, reach: Reach): Reads {
  const stopping = new AbortController();
  const run = { ...focusRun, signal: AbortSignal.any([focusRun.signal, stopping.signal]) };
  const takeSlot = createSlots(reach.maxParallelTools);
  const started = new Map<string, Promise<ReadEnd>>();
  for (const call of firstReads(turn, reach)) {
    const running = takeSlot(() => runRead(turn, call, run, reach));
    running.catch(() => {}); // the code that takes the end gets the failure
    started.set(call.callId, running);
  }
  return {
    endOf: (callId) => started.get(callId),
    async wholeTurn() {
      if (started.size === 0 || started.size < turn.calls.length) return null;
      const ends = await endsWithin(TOGETHER_MS, [...started.values()]);
      return ends?.every(({ end: { output } }) => output.wait === undefined && !hasFiles(output))
        ? whole(turn, ends, run)
        : null;
    },
    takeSlot,
    async stop(reason) {
      stopping.abort(reason);
      await Promise.allSettled(started.values());
    },
  };
}

function firstReads(turn: RecordedTurn, { guard: { afterRun }, toolset }: Reach): readonly RecordedCall[] {
  const first = turn.calls.findIndex(({ name, state }) => {
    const tool = toolset.get(name);
    return state === 'pending' || !onlyReads(tool) || (tool && afterRun?.sees(tool));
  });
  return first < 0 ? turn.calls : turn.calls.slice(0, first);
}

/** True if a call may run without any record of it: it changes nothing, and can be run again. */
function onlyReads(tool: Tool | undefined): boolean {
  return tool?.kind === 'world' && tool.risk === 'read' && tool.idempotent;
}

async function runRead(turn: RecordedTurn, call: RecordedCall, run: CallsRun, reach: Reach): Promise<ReadEnd> {
  await reach.callScope.makeDirectory();
  const passage = await passGates(call, turn, run.signal, reach);
  switch (passage.kind) {
    case 'answered':
      return { end: passage, durationMs: 0 };
    case 'ask':
      // A gate that judges now gives the same verdict again, so such a call is pending and was not started here.
      throw new AnimusError('internal.bug', {
        detail: `the gate ${passage.gate} asks about a call that was started before its answer was recorded`,
      });
    case 'ready':
      return executeCall(turn, call, passage, run, reach);
  }
}

/** Null if one of them takes longer, or fails. */
async function endsWithin(ms: number, running: readonly Promise<ReadEnd>[]): Promise<readonly ReadEnd[] | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  const ends = Promise.all(running).catch(() => null);
  return Promise.race([ends, late]).finally(() => clearTimeout(timer));
}

function whole(turn: RecordedTurn, ends: readonly ReadEnd[], run: CallsRun): WholeTurn {
  const results = turn.calls.map((call, index) => {
    const { end, durationMs } = ends[index]!;
    return callResult(turn, call, end, durationMs);
  });
  const calls = turn.calls.map((call, index) => {
    const { state, output, isError } = results[index]!;
    return { ...call, state, output, isError };
  });
  return {
    turn: { ...turn, calls },
    ends: results,
    announce() {
      for (const [index, call] of turn.calls.entries())
        ended(turn, call, ends[index]!.end, ends[index]!.durationMs, run);
    },
  };
}

/** Detects a run without progress: its calls only return known results. Pure over the transcript. */
import { hash } from 'node:crypto';
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { EngineMessage } from '../../store/transcript/messages.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';

/** How a run stalls; both fields count turns, including the newest. */
export interface Stall {
  /** Turns in a row, without anything new between them, in which the most repeated call of the newest turn gave the same result. */
  readonly repeats: number;
  /** The tool of that call. */
  readonly tool: string;
  /** Turns in a row in which every call had been made before with the same result. */
  readonly turnsWithoutNews: number;
}

/** How long a result counts as known. After this many turns, the same call may be useful again. */
const WINDOW_TURNS = 40;

/** How often the same call may fetch again what was folded: a run that only does that also ends. */
const FETCHED_AGAIN = 3;

/**
 * Measures the newest turn; null if it made no calls or returned something new. What a stub or a summary (of `messages`) stood for when the call was
 * made counts as new: the model no longer had it.
 */
export function measureStall(turns: readonly RecordedTurn[], messages: readonly EngineMessage[] = []): Stall | null {
  const withCalls = turns.slice(-WINDOW_TURNS).filter((turn) => turn.calls.length > 0);
  const newest = withCalls.at(-1);
  if (!newest || newest !== turns.at(-1)) return null;
  const known = new Map<string, { readonly turn: number; readonly again: number }>();
  let since = 0;
  for (const [index, turn] of withCalls.entries()) {
    const kept = firstKept(turn, messages);
    const before = turn.calls.map((call) => ({ call, was: known.get(fingerprint(call)) }));
    for (const { call, was } of before) {
      const folded = was !== undefined && was.turn < kept && was.again < FETCHED_AGAIN && !NUMBERED.has(call.name);
      if (was === undefined || folded) since = index;
      known.set(fingerprint(call), { turn: turn.turn, again: (was?.again ?? 0) + (folded ? 1 : 0) });
    }
  }
  if (since === withCalls.length - 1) return null;
  const stalled = withCalls.slice(since);
  const counted = newest.calls.map((call) => ({ tool: call.name, repeats: turnsWith(fingerprint(call), stalled) }));
  const most = counted.reduce((best, each) => (each.repeats > best.repeats ? each : best));
  return { ...most, turnsWithoutNews: stalled.length - 1 };
}

/** The first turn that was still verbatim in the request for this one. */
function firstKept({ turn }: RecordedTurn, messages: readonly EngineMessage[]): number {
  return messages.reduce(
    (most, { afterTurn, keepsFrom = 0 }) => (afterTurn < turn ? Math.max(most, keepsFrom) : most),
    0,
  );
}

/** Counts turns, not calls: the same call several times in one answer is one mistake. */
function turnsWith(print: string, turns: readonly RecordedTurn[]): number {
  return turns.filter((turn) => turn.calls.some((call) => fingerprint(call) === print)).length;
}

/** Their results number the entry, so they are never the same twice. */
const NUMBERED = new Set(['ledger_append']);

// A call never changes once it has ended, and is read again in every later turn.
const fingerprints = new WeakMap<RecordedCall, string>();

function fingerprint(call: RecordedCall): string {
  const known = fingerprints.get(call);
  if (known !== undefined) return known;
  const result = NUMBERED.has(call.name) && !call.isError ? null : call.output;
  const text = JSON.stringify([call.name, sorted(call.input), result]);
  const print = hash('sha1', text, 'base64');
  fingerprints.set(call, print);
  return print;
}

/** Sorts keys, so that inputs are equal in any order of keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

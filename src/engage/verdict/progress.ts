/** Detects a run without progress: calls that return results already known. Pure over the transcript. */
import { createHash } from 'node:crypto';
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';

/** How a run stalls; both count turns, the newest included. */
export interface Stall {
  /** Turns in a row, without anything new between them, in which the newest turn's most repeated call gave the same result. */
  readonly repeats: number;
  /** That call's tool. */
  readonly tool: string;
  /** Turns in a row whose calls all had been made before with the same result. */
  readonly turnsWithoutNews: number;
}

/** How far back a result still counts as known. A call that is made again after so many turns may well be needed again. */
const WINDOW_TURNS = 40;

/** Measures the newest turn; null when it made no calls or brought something new. */
export function measureStall(turns: readonly RecordedTurn[]): Stall | null {
  const withCalls = turns.slice(-WINDOW_TURNS).filter((turn) => turn.calls.length > 0);
  const newest = withCalls.at(-1);
  if (!newest || newest !== turns.at(-1)) return null;
  const known = new Set<string>();
  let since = 0;
  for (const [index, turn] of withCalls.entries()) {
    const fingerprints = turn.calls.map(fingerprint);
    if (fingerprints.some((print) => !known.has(print))) since = index;
    for (const print of fingerprints) known.add(print);
  }
  if (since === withCalls.length - 1) return null;
  const stalled = withCalls.slice(since);
  const counted = newest.calls.map((call) => ({ tool: call.name, repeats: turnsWith(fingerprint(call), stalled) }));
  const most = counted.reduce((best, each) => (each.repeats > best.repeats ? each : best));
  return { ...most, turnsWithoutNews: stalled.length - 1 };
}

/** Turns with it, not calls: the same call several times in one answer is odd, but one mistake. */
function turnsWith(print: string, turns: readonly RecordedTurn[]): number {
  return turns.filter((turn) => turn.calls.some((call) => fingerprint(call) === print)).length;
}

/** Its result numbers the entry, so that it is never the same twice. */
const NUMBERED = new Set(['ledger_append']);

// A call never changes once it has ended, and is looked at again on every turn after.
const fingerprints = new WeakMap<RecordedCall, string>();

function fingerprint(call: RecordedCall): string {
  const known = fingerprints.get(call);
  if (known !== undefined) return known;
  const result = NUMBERED.has(call.name) && !call.isError ? null : call.output;
  const text = JSON.stringify([call.name, sorted(call.input), result]);
  const print = createHash('sha1').update(text).digest('base64');
  fingerprints.set(call, print);
  return print;
}

/** The same input, whatever order its keys came in. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** Files that were read again and have not changed: the context shows their text once. Pure. */
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';

/** A shorter result is shown again: the note would save little. */
const LEAST_CHARS = 400;

/**
 * Of turns that a context shows whole, in their order: the calls of `read_file` whose result an earlier one of these turns shows already, for the same input, each with the
 * note that stands in its place. The record keeps the result, so that it is shown again when that turn is folded.
 */
export function repeatedReads(turns: readonly RecordedTurn[]): ReadonlyMap<RecordedCall, string> {
  const notes = new Map<RecordedCall, string>();
  const shown = new Map<string, { readonly turn: number; readonly output: string }>();
  for (const { turn, calls } of turns) {
    for (const call of calls) {
      const { name, input, finalInput, output, isError } = call;
      if (name !== 'read_file' || isError || output === null || output.length < LEAST_CHARS || call.shown) continue;
      const key = JSON.stringify(finalInput ?? input);
      const before = shown.get(key);
      if (before?.output === output && before.turn < turn) notes.set(call, noteOf(before.turn));
      else shown.set(key, { turn, output });
    }
  }
  return notes;
}

function noteOf(turn: number): string {
  return `[unchanged since turn ${turn}: the result of the same call there, further up, is still true]`;
}

/** Completes the text before the cursor. */
import { type Completion, completeLine } from './complete-line.ts';
import type { LineBuffer } from './line-buffer.ts';

/** What may complete a text; null: nothing is completed there, and Tab inserts spaces. */
export type FindCompletion = (typed: string) => Completion | null | Promise<Completion>;

/** At once, or when the promise of `find` is fulfilled, unless the text before the cursor has changed by then. `done` gets the words to choose from. */
export function completeAtCursor(
  buffer: LineBuffer,
  find: FindCompletion,
  done: (choices: readonly string[]) => void,
): void {
  const before = () => buffer.text.slice(0, buffer.cursor);
  const typed = before();
  const complete = (found: Completion | null) => {
    if (before() !== typed) return;
    const { insert, choices } = found === null ? { insert: '  ', choices: [] } : completeLine(typed, found);
    buffer.insert(insert);
    done(choices);
  };
  const found = find(typed);
  // Without the database, nothing is completed.
  if (found instanceof Promise) void found.then(complete, () => undefined);
  else complete(found);
}

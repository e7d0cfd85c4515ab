/** Lists that hooks print once the work is done: each entry is checked separately, so that a wrong one does not affect the others. */
import { z } from 'zod';
import { schemaProblems } from '../../core/errors/schema-problems.ts';

/** An entry that is not as it should be. */
export interface WrongEntry {
  readonly problem: string;
  /** Its JSON. */
  readonly printed: string;
}

/** A list of at most so many; a wrong entry becomes what `wrong` makes of it. */
export function eachChecked<Entry extends z.ZodType, Wrong>(
  entry: Entry,
  most: number,
  wrong: (entry: WrongEntry) => Wrong,
) {
  const checkedEntry = z.json().transform((printed): z.output<Entry> | Wrong => {
    const checked = entry.safeParse(printed);
    return checked.success
      ? checked.data
      : wrong({ problem: schemaProblems(checked.error), printed: JSON.stringify(printed) });
  });
  return z.array(checkedEntry).max(most);
}

/** What is shown of an entry, in characters. */
const SHOWN_CHARS = 200;

/** For people: why an entry was left out, and how it begins. */
export function lostEntry(what: string, problem: string, printed: string): string {
  return `${what} (${problem}): ${printed.slice(0, SHOWN_CHARS).toWellFormed()}`;
}

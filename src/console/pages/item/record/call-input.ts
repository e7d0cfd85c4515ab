/** What a call was asked to do, in a line. */
import type { CallRow } from './rows.ts';

/** The most telling field of the input, in one line. */
export function shortInput({ input, finalInput }: Pick<CallRow, 'input' | 'finalInput'>): string {
  const used = finalInput ?? input;
  if (used === undefined) return '';
  if (typeof used !== 'object' || used === null) return JSON.stringify(used);
  const values = Object.values(used);
  const first = values.find((value) => typeof value === 'string');
  return first ?? JSON.stringify(values.length === 1 ? values[0] : used);
}

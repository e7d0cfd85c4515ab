/** Reads the times of the database, of which not all are times of JavaScript. */
import { TypeOverrides, types } from 'pg';

/** The first and the last time that a Date can have. */
const LAST_MS = 8.64e15;

/**
 * node-postgres's types, but a timestamp is always a valid Date. `infinity`, `-infinity` and years after 275760, which anybody who may submit work
 * can write, become the last or the first Date: one such row must not make a list that contains it unreadable.
 */
export const TYPES = new TypeOverrides();
for (const id of [types.builtins.TIMESTAMP, types.builtins.TIMESTAMPTZ]) {
  const parse: (text: string) => unknown = types.getTypeParser(id);
  TYPES.setTypeParser(id, (text: string) => nearestDate(text, parse(text)));
}

function nearestDate(text: string, parsed: unknown): Date {
  if (parsed instanceof Date && !Number.isNaN(parsed.getTime())) return parsed;
  return new Date(text.startsWith('-') || text.endsWith('BC') ? -LAST_MS : LAST_MS);
}

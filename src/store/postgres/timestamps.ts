/** Reads the times of the database, of which not all are times of JavaScript. */
import { TypeOverrides, types } from 'pg';

/** The first and the last time that RFC 3339 can write: the API promises `date-time`, whose years have four digits. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * node-postgres's types, but a timestamp is always a Date of the years 0 to 9999. `infinity`, `-infinity` and other years, which anybody who may submit work
 * can write, become the last or the first of them: one such row must not make a list that contains it unreadable.
 */
export const TYPES = new TypeOverrides();
for (const id of [types.builtins.TIMESTAMP, types.builtins.TIMESTAMPTZ]) {
  const parse: (text: string) => unknown = types.getTypeParser(id);
  TYPES.setTypeParser(id, (text: string) => nearestDate(text, parse(text)));
}

function nearestDate(text: string, parsed: unknown): Date {
  const ms = parsed instanceof Date ? parsed.getTime() : Number.NaN;
  if (Number.isNaN(ms)) return new Date(text.startsWith('-') || text.endsWith('BC') ? FIRST_MS : LAST_MS);
  return new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS));
}

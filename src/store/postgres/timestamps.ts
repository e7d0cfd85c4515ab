/** Reads the times of the database, of which not all are times of JavaScript. */
import { type CustomTypesConfig, types } from 'pg';

const TIMESTAMPS: readonly number[] = [types.builtins.TIMESTAMP, types.builtins.TIMESTAMPTZ];
/** The first and the last time that a Date can have. */
const LAST_MS = 8.64e15;

/**
 * node-postgres's types, but a timestamp is always a valid Date. `infinity`, `-infinity` and years after 275760, which anybody who may submit work
 * can write, become the last or the first Date: one such row must not make a list that contains it unreadable.
 */
export const TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    const parse = types.getTypeParser(oid, format as 'text') as (value: string) => unknown;
    return TIMESTAMPS.includes(oid) ? (value: string) => nearestDate(value, parse(value)) : parse;
  }) as CustomTypesConfig['getTypeParser'],
};

function nearestDate(text: string, parsed: unknown): Date {
  if (parsed instanceof Date && !Number.isNaN(parsed.getTime())) return parsed;
  return new Date(text.startsWith('-') || text.endsWith('BC') ? -LAST_MS : LAST_MS);
}

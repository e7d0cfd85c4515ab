/** By which code a client of the HTTP address is told of an error. */
import { ERRORS, type ErrorCode } from './error-table.ts';

const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set([
  'db.unreachable',
  'db.refused',
  'db.not_migrated',
  'db.schema_older',
  'db.schema_newer',
  'db.embedded_locked',
]);

/** The code of the table for clients: what is wrong with the server, its database or its files is `internal.bug`, and the log says more. */
export function publicCode(code: ErrorCode): ErrorCode {
  if (code === 'db.forbidden') return 'http.forbidden';
  if (UNAVAILABLE.has(code)) return 'http.no_database';
  return ERRORS[code].http < 500 || code.startsWith('http.') ? code : 'internal.bug';
}

/** All codes that a client may be told. */
export const PUBLIC_CODES: readonly ErrorCode[] = [...new Set((Object.keys(ERRORS) as ErrorCode[]).map(publicCode))];

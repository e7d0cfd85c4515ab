/** Which error a client may see. */
import { ERRORS, type ErrorCode } from '../../core/errors/error-table.ts';
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import { sqlState } from '../../store/sql/database-errors.ts';

/** The error as a client may see it: addresses, statements and internals stay in the log. `hidden` says that the log should have it. */
export function publicError(
  error: unknown,
  requestId: string,
): { readonly shown: AnimusError; readonly hidden: boolean } {
  const state = sqlState(error) ?? '';
  // Data that the database refuses and no schema of ours: the client's fault, and a gap of the schema that the log should show.
  if (state.startsWith('22') || state === '23514') {
    return { shown: new AnimusError('work.invalid', { detail: messageOf(error) }, { cause: error }), hidden: true };
  }
  if (!isAnimusError(error)) return { shown: internal(requestId, error), hidden: true };
  if (error.code === 'db.forbidden') {
    // The message of the table names the server; its cause says who may not do what.
    return { shown: new AnimusError('http.forbidden', { detail: messageOf(error.cause) }), hidden: false };
  }
  if (UNAVAILABLE.has(error.code)) return { shown: new AnimusError('http.no_database'), hidden: true };
  // What is wrong with the issuer is for the log of the server.
  if (error.code === 'http.issuer') return { shown: error, hidden: true };
  return ERRORS[error.code].http >= 500 && !error.code.startsWith('http.')
    ? { shown: internal(requestId, error), hidden: true }
    : { shown: error, hidden: false };
}

const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set([
  'db.unreachable',
  'db.refused',
  'db.not_migrated',
  'db.schema_older',
  'db.schema_newer',
  'db.embedded_locked',
]);

function internal(requestId: string, cause: unknown): AnimusError {
  return new AnimusError('internal.bug', { detail: `request ${requestId}; the log of the server has more` }, { cause });
}

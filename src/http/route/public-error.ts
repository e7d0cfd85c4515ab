/** Which error a client may see. */
import { randomUUID } from 'node:crypto';
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import { publicCode } from '../../core/errors/public-code.ts';
import { sqlState } from '../../store/sql/database-errors.ts';
import type { Log } from '../../telemetry/log.ts';

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
  switch (publicCode(error.code)) {
    case 'internal.bug':
      return { shown: internal(requestId, error), hidden: true };
    case 'http.no_database':
      return { shown: new AnimusError('http.no_database'), hidden: true };
    case error.code:
      // What is wrong with the issuer is for the log of the server.
      return { shown: error, hidden: error.code === 'http.issuer' };
    default:
      // `db.forbidden`. The message of the table names the server; its cause says who may not do what.
      return { shown: new AnimusError('http.forbidden', { detail: messageOf(error.cause) }), hidden: false };
  }
}

/** The same; what the client is not shown goes to the log. `client`: the address. */
export function shownError(
  error: unknown,
  log: Log,
  { requestId = randomUUID(), client }: { readonly requestId?: string; readonly client?: string } = {},
): AnimusError {
  const { shown, hidden } = publicError(error, requestId);
  const who = client !== undefined && { client };
  if (hidden) log.error({ err: error, request_id: requestId, ...who }, 'a request to the API failed');
  return shown;
}

function internal(requestId: string, cause: unknown): AnimusError {
  return new AnimusError('internal.bug', { detail: `request ${requestId}; the log of the server has more` }, { cause });
}

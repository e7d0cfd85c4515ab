/** Errors as `application/problem+json` (RFC 9457). */
import { z } from 'zod';
import { AnimusError, ERRORS, type ErrorCode, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import { sqlState } from '../../store/sql/database-errors.ts';

/** The body of every answer that reports an error. It names no request, so that what one may not see and what is not there look the same. */
export const problemSchema = z
  .object({
    type: z.string().describe('`urn:animus:error:` and the code'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe('of docs/errors.md; branch on it, never on texts'),
    retryable: z.boolean().describe('the same request may succeed later'),
  })
  .meta({ id: 'Problem' });

export const PROBLEM_TYPE = 'application/problem+json';

/** The answer that reports an error of the table. */
export function problemResponse(error: AnimusError, headers: Readonly<Record<string, string>> = {}): Response {
  const status = error.httpStatus;
  const body: z.output<typeof problemSchema> = {
    type: `urn:animus:error:${error.code}`,
    title: TITLES[status] ?? 'Error',
    status,
    detail: error.message,
    code: error.code,
    retryable: error.retryable,
  };
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { 'content-type': PROBLEM_TYPE, ...retryAfter(error), ...headers },
  });
}

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

function retryAfter({ httpStatus, details }: AnimusError): Record<string, string> {
  if (httpStatus === 429) return { 'retry-after': String(details['seconds']) };
  return httpStatus === 503 ? { 'retry-after': '1' } : {};
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

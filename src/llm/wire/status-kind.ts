import type { FailureKind } from '../client.ts';

/**
 * Statuses of a server that does not offer this request at this address, now or later: the path or method is not there (404, 405, 410), or
 * the server does not support it (501, 505) or has another network in front of it that wants a login (511).
 */
const LASTING: ReadonlySet<number> = new Set([404, 405, 410, 501, 505, 511]);

/**
 * Classifies an HTTP status if the body has no details. A lasting status is a wrong address, which affects every call to the provider,
 * like a failed connection. Null (an error within a stream) is a failure of the provider.
 */
export function kindOfStatus(status: number | null): FailureKind {
  if (status === null) return 'overloaded';
  if (status === 401 || status === 403 || status === 407) return 'credentials';
  if (status === 402) return 'quota';
  if (isLasting(status)) return 'connection';
  if (status === 408) return 'timeout';
  if (status === 413) return 'context_overflow';
  if (status === 429) return 'rate_limit';
  if (status === 409 || status === 425 || status >= 500) return 'overloaded';
  if (status >= 400) return 'invalid_request';
  return 'protocol';
}

/** True for a status that is permanent, even if its kind of failure usually is not. */
export function isLasting(status: number | null): boolean {
  return status !== null && LASTING.has(status);
}

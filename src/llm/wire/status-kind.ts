import type { FailureKind } from '../client.ts';

/**
 * Classifies an HTTP status if the body has no details. 404 is a wrong address, which affects every call to the provider,
 * like a failed connection. Null (an error within a stream) is a failure of the provider.
 */
export function kindOfStatus(status: number | null): FailureKind {
  if (status === null) return 'overloaded';
  if (status === 401 || status === 403 || status === 407) return 'credentials';
  if (status === 402) return 'quota';
  if (status === 404 || status === 405) return 'connection';
  if (status === 408) return 'timeout';
  if (status === 413) return 'context_overflow';
  if (status === 429) return 'rate_limit';
  if (status === 409 || status === 425 || status >= 500) return 'overloaded';
  if (status >= 400) return 'invalid_request';
  return 'protocol';
}

/** True for a status that is permanent, even if its kind of failure usually is not. */
export function isLasting(status: number | null): boolean {
  return status === 404 || status === 405;
}

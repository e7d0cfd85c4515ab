import type { FailureKind } from '../client.ts';

/**
 * What an HTTP status means where the body does not say more. 404 is a wrong address: it concerns every call to the
 * provider, like a connection that fails. Null (an error in mid-stream) is the provider's own trouble.
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

/** True for a status that trying again cannot change, though the kind of failure may usually pass. */
export function isLasting(status: number | null): boolean {
  return status === 404 || status === 405;
}

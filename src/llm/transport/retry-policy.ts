import { MAX_LOST } from '../failure-costs.ts';
import type { Fault } from '../wire/fault.ts';

/** How often a call is retried, and after which delays. */
export interface RetryPolicy {
  /** The number of HTTP attempts. Default 4; 1 never retries. */
  readonly maxAttempts: number;
  /** The back-off before attempt n+1 is uniform in 0 to base · 2^(n-1), at most max: 0–1, 0–2, 0–4 s. Default 1,000. */
  readonly baseDelayMs: number;
  /** Default 30,000. */
  readonly maxDelayMs: number;
  /** A call fails if the provider asks for a longer wait: the work is then released and frees its slot. Default 60,000. */
  readonly maxWaitMs: number;
  /** The longest pause that is accepted; a longer one is reduced to it. Default 600,000, ten minutes. */
  readonly maxRetryAfterMs: number;
  /**
   * How long calls with a key are paused when three requests in a row were lost; each further one that is lost before an answer comes doubles it, up to
   * `maxRetryAfterMs`. Default 60,000.
   */
  readonly lostPauseMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 4,
  baseDelayMs: 1000,
  maxDelayMs: 30_000,
  maxWaitMs: 60_000,
  maxRetryAfterMs: 600_000,
  lostPauseMs: 60_000,
};

/**
 * The fault with the pause that is observed. Some servers send a Unix timestamp as seconds to wait: such a pause would end in
 * fifty years, for every call with the key and for the released work. The message states a pause that the call does not wait for, as it was asked for.
 */
export function withinPause(cause: Fault, { maxRetryAfterMs, maxWaitMs }: RetryPolicy): Fault {
  const askedMs = cause.retryAfterMs;
  if (askedMs === null || askedMs <= Math.min(maxWaitMs, maxRetryAfterMs)) return cause;
  const limited = askedMs > maxRetryAfterMs ? `, limited to ${maxRetryAfterMs / 1000} s` : '';
  const message = `the provider asked to wait ${Math.ceil(askedMs / 1000)} s${limited}: ${cause.message}`;
  return { ...cause, retryAfterMs: Math.min(askedMs, maxRetryAfterMs), message };
}

/** How long calls are paused after so many lost requests in a row; 0: not at all. */
export function pauseAfterLost(inARow: number, { lostPauseMs, maxRetryAfterMs }: RetryPolicy): number {
  return inARow < MAX_LOST ? 0 : Math.min(maxRetryAfterMs, lostPauseMs * 2 ** (inARow - MAX_LOST));
}

/**
 * How long to wait before the next attempt, or null to give up. Full jitter, after AWS's "Exponential Backoff And
 * Jitter"; added to a `retry-after`, which is a lower bound, so that clients with the same value do not retry at once.
 */
export function retryDelayMs(cause: Fault, attempts: number, policy: RetryPolicy, random: () => number): number | null {
  if (!cause.retryable || attempts >= policy.maxAttempts) return null;
  const askedMs = cause.retryAfterMs ?? 0;
  if (askedMs > policy.maxWaitMs) return null;
  const ceilingMs = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempts - 1));
  return askedMs + random() * ceilingMs;
}

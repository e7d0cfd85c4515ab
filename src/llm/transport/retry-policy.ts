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
  readonly maxRetryAfterMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 4,
  baseDelayMs: 1000,
  maxDelayMs: 30_000,
  maxRetryAfterMs: 60_000,
};

/**
 * How long to wait before the next attempt, or null to give up. Full jitter, after AWS's "Exponential Backoff And
 * Jitter"; added to a `retry-after`, which is a lower bound, so that clients with the same value do not retry at once.
 */
export function retryDelayMs(cause: Fault, attempts: number, policy: RetryPolicy, random: () => number): number | null {
  if (!cause.retryable || attempts >= policy.maxAttempts) return null;
  const askedMs = cause.retryAfterMs ?? 0;
  if (askedMs > policy.maxRetryAfterMs) return null;
  const ceilingMs = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempts - 1));
  return askedMs + random() * ceilingMs;
}

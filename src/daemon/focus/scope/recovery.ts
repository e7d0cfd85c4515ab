/** The default policy after a failure: when to try again. Pure. */

export interface Backoff {
  readonly backoff: 'exponential' | 'fixed';
  readonly baseSeconds: number;
  readonly maxSeconds: number;
}

/**
 * Seconds until the next attempt after `failedAttempts` (from 1) failures. Exponential with full jitter: uniform in
 * (0, base × 2^(n−1)], so that foci that failed together do not come back together. With base 10 and max 600 the upper
 * ends are 10, 20, 40, 80, 160, 320, 600, 600 … seconds. `fixed`: always base. `random` is in [0, 1).
 */
export function retryDelaySeconds(policy: Backoff, failedAttempts: number, random: number): number {
  if (policy.backoff === 'fixed') return policy.baseSeconds;
  const ceiling = Math.min(policy.maxSeconds, policy.baseSeconds * 2 ** (failedAttempts - 1));
  return ceiling * (1 - random);
}

/**
 * Seconds to wait when the provider failed and not the work: as long as the provider asked for, otherwise 15 to 45.
 * `random` is in [0, 1).
 */
export function releaseDelaySeconds(retryAfterMs: number | null, random: number): number {
  return retryAfterMs === null ? 15 + 30 * random : retryAfterMs / 1000;
}

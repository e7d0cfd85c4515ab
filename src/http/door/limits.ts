/** How many requests somebody may send. Counted in memory, by each server for itself. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';

/** Counts by name; refuses the one above the limit. */
export interface RateLimit {
  /** Counts one. Errors: `http.too_many` with the time until it may be tried again; `detail` says why, default "too many requests". */
  take(name: string, detail?: string): void;
}

/** How many names are counted at once. The one that came first is forgotten first. */
const MOST_NAMES = 10_000;

/** Allows `perMinute` at once, and again as many spread over each minute (a token bucket). */
export function rateLimit(perMinute: number, clock: Pick<Clock, 'monotonicMs'>): RateLimit {
  const used = new Map<string, { count: number; atMs: number }>();

  function drained(name: string): { count: number; atMs: number } {
    const nowMs = clock.monotonicMs();
    const { count, atMs } = used.get(name) ?? { count: 0, atMs: nowMs };
    return { count: Math.max(0, count - ((nowMs - atMs) * perMinute) / 60_000), atMs: nowMs };
  }

  return {
    take(name, detail = 'too many requests') {
      const now = drained(name);
      const excess = now.count + 1 - perMinute;
      if (excess > 0) throw new AnimusError('http.too_many', { detail, seconds: Math.ceil((excess * 60) / perMinute) });
      used.delete(name);
      used.set(name, { count: now.count + 1, atMs: now.atMs });
      if (used.size > MOST_NAMES) used.delete(used.keys().next().value!);
    },
  };
}

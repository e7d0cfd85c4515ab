/** Time as a dependency, so that tests control it. The clock of the database decides about leases and schedules; this one does not. */
export interface Clock {
  /** Monotonic milliseconds; only differences have a meaning. */
  monotonicMs(): number;
  /** Wall-clock milliseconds since the epoch, for display and log lines. */
  nowMs(): number;
  /** Resolves after `ms` (at least 0), or at once when the signal aborts. Never rejects; the caller checks the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A moment on both clocks: the monotonic one stands still while the machine sleeps, and the other one may be set. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Now. */
export function momentOf(clock: Pick<Clock, 'monotonicMs' | 'nowMs'>): Moment {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
}

/**
 * Milliseconds since a moment by the clock that says more: the time of a sleep counts, and a wall clock that is set back takes nothing
 * away. One that is set forward makes it too long, so code that decides by it asks before it gives anything up.
 */
export function elapsedMs(clock: Pick<Clock, 'monotonicMs' | 'nowMs'>, { monotonicMs, wallMs }: Moment): number {
  return Math.max(clock.monotonicMs() - monotonicMs, clock.nowMs() - wallMs);
}

/** The clock of the process. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  nowMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, ms));
      signal?.addEventListener('abort', done, { once: true });
    }),
};

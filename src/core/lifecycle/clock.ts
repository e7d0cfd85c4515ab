/** Time as a dependency, so that tests control it. The clock of the database decides about leases and schedules; this one does not. */
export interface Clock {
  /** Monotonic milliseconds; only differences have a meaning. */
  monotonicMs(): number;
  /** Wall-clock milliseconds since the epoch, for display and log lines. */
  nowMs(): number;
  /** Resolves after `ms` (at least 0), or at once when the signal aborts. Never rejects; the caller checks the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
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

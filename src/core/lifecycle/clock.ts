/** Time as a dependency, so that tests own it. Only the database's clock decides about leases and schedules; this one paces a process. */
export interface Clock {
  /** Milliseconds that only ever grow; differences are durations. */
  monotonicMs(): number;
  /** Wall-clock milliseconds since the epoch, for display and log lines. */
  nowMs(): number;
  /** Resolves after `ms` (at least 0), or at once when the signal aborts: it never rejects; the caller looks at the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The process's own clock. */
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

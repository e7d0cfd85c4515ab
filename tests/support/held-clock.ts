/** Time under a test's control. */
import type { Clock } from '../../src/core/lifecycle/clock.ts';

export interface HeldClock extends Clock {
  /** Moves the clock; those whose sleep is over run before it resolves. */
  pass(ms: number): Promise<void>;
}

/** A clock that stands still until the test moves it. */
export function heldClock(): HeldClock {
  let nowMs = 0;
  let sleeping: { readonly untilMs: number; readonly wake: () => void }[] = [];
  return {
    monotonicMs: () => nowMs,
    nowMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        signal?.addEventListener('abort', () => resolve(), { once: true });
        sleeping.push({ untilMs: nowMs + ms, wake: resolve });
      }),
    async pass(ms) {
      nowMs += ms;
      const woken = sleeping.filter(({ untilMs }) => untilMs <= nowMs);
      sleeping = sleeping.filter(({ untilMs }) => untilMs > nowMs);
      for (const { wake } of woken) wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

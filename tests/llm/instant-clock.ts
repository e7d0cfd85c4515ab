import type { Clock } from '../../src/core/lifecycle/clock.ts';

/** A clock whose sleeps take no time and are written down; its own time goes on by what was slept. */
export function instantClock(): Clock & { readonly sleeps: number[] } {
  const sleeps: number[] = [];
  let nowMs = Date.UTC(2026, 0, 1);
  return {
    sleeps,
    monotonicMs: () => nowMs,
    nowMs: () => nowMs,
    async sleep(ms, signal) {
      if (signal?.aborted) return;
      sleeps.push(ms);
      nowMs += ms;
    },
  };
}

import type { Clock } from '../../core/lifecycle/clock.ts';

/** Waits that a provider asked for, shared by every call in the process that uses the same key at the same place. */
export interface KeyPauses {
  /** No call with this key starts for so long; a longer pause stays. */
  pause(key: string, ms: number): void;
  /** Milliseconds until calls with this key may start, 0 when they may now. */
  remainingMs(key: string): number;
}

/** One table of pauses; make one per process and hand it to every client. */
export function createKeyPauses(clock: Clock): KeyPauses {
  const until = new Map<string, number>();
  return {
    pause(key, ms) {
      until.set(key, Math.max(until.get(key) ?? 0, clock.monotonicMs() + ms));
    },
    remainingMs(key) {
      const left = (until.get(key) ?? 0) - clock.monotonicMs();
      if (left > 0) return left;
      until.delete(key);
      return 0;
    },
  };
}

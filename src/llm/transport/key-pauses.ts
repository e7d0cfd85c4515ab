import type { Clock } from '../../core/lifecycle/clock.ts';

/** Pauses that a provider asked for, shared by all calls of the process with the same key at the same address. */
export interface KeyPauses {
  /** Pauses calls with this key for this long; keeps a longer pause. */
  pause(key: string, ms: number): void;
  /** Milliseconds until calls with this key may start; 0 if not paused. */
  remainingMs(key: string): number;
}

/** Creates a table of pauses. Create one per process and pass it to every client. */
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

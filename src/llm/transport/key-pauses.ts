import type { Clock } from '../../core/lifecycle/clock.ts';

/** Pauses of calls, and why, shared by all calls of the process with the same key at the same address. */
export interface KeyPauses {
  /** Pauses calls with this key for this long; keeps a longer pause. `why` ends a sentence. */
  pause(key: string, ms: number, why: string): void;
  /** Milliseconds until calls with this key may start, and why not before; null if not paused. */
  current(key: string): { readonly ms: number; readonly why: string } | null;
  /**
   * A request that was sent at `sentMs` (monotonic) was lost; returns how many in a row. What was under way when another one was lost counts with it: a
   * broken network ends many requests at once.
   */
  lost(key: string, sentMs: number): number;
  /** A request was answered. */
  answered(key: string): void;
}

/** Creates a table of pauses. Create one per process and pass it to every client. */
export function createKeyPauses(clock: Clock): KeyPauses {
  const pauses = new Map<string, { readonly untilMs: number; readonly why: string }>();
  const rows = new Map<string, { readonly inARow: number; readonly atMs: number }>();
  return {
    pause(key, ms, why) {
      const untilMs = clock.monotonicMs() + ms;
      if (untilMs > (pauses.get(key)?.untilMs ?? 0)) pauses.set(key, { untilMs, why });
    },
    current(key) {
      const pause = pauses.get(key);
      const ms = (pause?.untilMs ?? 0) - clock.monotonicMs();
      if (pause && ms > 0) return { ms, why: pause.why };
      pauses.delete(key);
      return null;
    },
    lost(key, sentMs) {
      const row = rows.get(key) ?? { inARow: 0, atMs: -Infinity };
      if (sentMs < row.atMs) return row.inARow;
      rows.set(key, { inARow: row.inARow + 1, atMs: clock.monotonicMs() });
      return row.inARow + 1;
    },
    answered(key) {
      rows.delete(key);
    },
  };
}

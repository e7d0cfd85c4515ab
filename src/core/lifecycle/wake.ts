/** A wake-up signal for a loop. Several rings before the next wait count as one. */
import type { Clock } from './clock.ts';

export interface Wake {
  ring(): void;
  /** Resolves at the next ring (at once if one came since the last wait), after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWake(clock: Clock): Wake {
  let rung = false;
  let waiting: AbortController | null = null;
  return {
    ring() {
      rung = true;
      waiting?.abort();
    },
    async wait(ms, signal) {
      if (!rung && !signal.aborted) {
        waiting = new AbortController();
        await clock.sleep(ms, AbortSignal.any([waiting.signal, signal]));
        waiting = null;
      }
      rung = false;
    },
  };
}

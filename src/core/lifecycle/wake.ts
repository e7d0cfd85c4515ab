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
      // With a reason: without one an error with its stack is made.
      waiting?.abort('rung');
    },
    async wait(ms, signal) {
      if (!rung && !signal.aborted) {
        const over = new AbortController();
        waiting = over;
        // A signal that depends on both would cost several times as much, and the one that rings waits for it.
        const end = () => over.abort('aborted');
        signal.addEventListener('abort', end, { once: true });
        await clock.sleep(ms, over.signal);
        signal.removeEventListener('abort', end);
        waiting = null;
      }
      rung = false;
    },
  };
}

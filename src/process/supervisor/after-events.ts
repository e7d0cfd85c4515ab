/** Timers for a process that may be frozen and resumed: pending events are handled before overdue timers. */
import { setImmediate as immediately } from 'node:timers/promises';

/**
 * Calls `act` after `ms` milliseconds, once all pending events (an exit, a renewal, a message) have been handled. Otherwise,
 * a resumed process would run its timers first and treat events as late that had arrived in time.
 */
export function afterEvents(ms: number, act: () => void): { clear(): void } {
  let cleared = false;
  const timer = setTimeout(() => {
    void turnsOfEventLoop().then(() => {
      if (!cleared) act();
    });
  }, clampTimer(ms));
  return {
    clear() {
      cleared = true;
      clearTimeout(timer);
    },
  };
}

/** Lets the event loop handle pending events; each turn handles some of them. */
export async function turnsOfEventLoop(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await immediately();
}

/** Clamps a delay: setTimeout fires at once if the delay does not fit into 31 bits. */
export function clampTimer(ms: number): number {
  return Math.min(Math.max(0, ms), 2 ** 31 - 1);
}

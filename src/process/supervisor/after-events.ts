/** Timers of a process that may be frozen and resumed: events that happened meanwhile are handled before overdue timers. */
import { setImmediate as immediately } from 'node:timers/promises';

/**
 * Calls `act` in so many milliseconds, after all events that are due by then: an exit, a renewal, a message. A thawed
 * process would otherwise meet its timers first, and take for late what had come in time.
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

/** Lets the event loop read pending events: each turn handles some of them. */
export async function turnsOfEventLoop(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await immediately();
}

/** setTimeout fires at once on what does not fit 31 bits. */
export function clampTimer(ms: number): number {
  return Math.min(Math.max(0, ms), 2 ** 31 - 1);
}

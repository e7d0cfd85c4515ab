/** Notices a supervisor that is frozen. */
import { clampTimer } from '../supervisor/after-events.ts';
import type { SupervisorLink } from './supervisor-link.ts';

/**
 * Kills the supervisor after `ms`, unless the timer is cleared: a frozen one cannot enforce time-outs. Its end is then handled
 * like any other.
 */
export function watch(supervisor: SupervisorLink, ms: number): { timer: NodeJS.Timeout } {
  const watchdog = { timer: setTimeout(checkAgain, clampTimer(ms)) };
  // If this process itself was frozen, the report may be waiting in the pipe: read it first.
  function checkAgain(): void {
    watchdog.timer = setTimeout(() => supervisor.kill(), 2000);
  }
  return watchdog;
}

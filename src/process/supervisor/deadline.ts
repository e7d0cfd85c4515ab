/** Deadlines on both clocks of the host: the monotonic one stands still while the machine sleeps, and the wall clock may be set. */
import { afterEvents } from './after-events.ts';
import { type HostMoment, hostMs } from './supervisor-protocol.ts';

export interface Deadline {
  /** On the monotonic clock, or on the wall clock and long enough ago. */
  hasPassed(): boolean;
  clear(): void;
}

/** How often the clocks are compared: timers stand still while the machine sleeps. */
const LOOK_MS = 1000;
/** A daemon that wakes up together with this process asks for its leases within a second, and a slow commit may delay the answer. */
const GRACE_MS = 5000;

/**
 * Calls `pass` at the moment, once pending events are handled. If only the wall clock has passed it, the machine has slept or somebody has set the
 * clock: then `pass` is called `graceMs` later (default 5,000), unless the deadline is cleared because its owner was renewed.
 */
export function createDeadline({ monotonicMs, wallMs }: HostMoment, pass: () => void, graceMs = GRACE_MS): Deadline {
  let sleptSinceMs: number | null = null;

  function leftMs(): number {
    const now = hostMs();
    sleptSinceMs = Date.now() < wallMs ? null : (sleptSinceMs ?? now);
    return Math.min(monotonicMs, (sleptSinceMs ?? Number.POSITIVE_INFINITY) + graceMs) - now;
  }

  function look() {
    return afterEvents(Math.min(leftMs(), LOOK_MS), () => {
      if (leftMs() <= 0) pass();
      else timer = look();
    });
  }

  let timer = look();
  return {
    hasPassed: () => leftMs() <= 0,
    clear: () => timer.clear(),
  };
}

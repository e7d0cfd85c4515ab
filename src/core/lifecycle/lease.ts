/** What everything that acts outward asks first: is what this daemon works on still its own? */
import { type Clock, elapsedMs, momentOf } from './clock.ts';

/** One thing that is this daemon's for a time. */
export interface Lease {
  /**
   * Whether it surely holds. Compares both clocks with its end, less a margin: a process that was frozen past the end, or a machine that has
   * slept, gets false before any timer has run.
   */
  holds(): boolean;
  /** Resolves at once while it surely holds, otherwise when the database has renewed it. Errors: `work.lease_lost`. */
  sure(): Promise<void>;
}

/** Where nobody else could take it. */
export const UNLEASED: Lease = { holds: () => true, sure: async () => {} };

/** The last part of a time that nothing is begun in: a fifth. */
export const MARGIN_SHARE = 0.2;

/**
 * A lease for a time that begins now. `renew` extends it by that time, and rejects where it is lost; not given: it cannot be extended, and `sure`
 * rejects once the time is over.
 */
export function timedLease(
  clock: Pick<Clock, 'monotonicMs' | 'nowMs'>,
  forMs: number,
  renew: () => Promise<unknown> = () => Promise.reject(new Error('its time is over')),
): Lease {
  let from = momentOf(clock);
  const holds = () => elapsedMs(clock, from) < (1 - MARGIN_SHARE) * forMs;
  return {
    holds,
    async sure() {
      if (holds()) return;
      const asked = momentOf(clock);
      await renew();
      from = asked;
    },
  };
}

/** Whether it surely holds, now or once the database has renewed it. Never rejects: what fails here is not held. */
export function surelyHolds(lease: Lease): Promise<boolean> {
  return lease.sure().then(
    () => lease.holds(),
    () => false,
  );
}

/** Begins an act in the same turn of the event loop in which the lease was compared with the clocks. Errors: `work.lease_lost`, and those of the act. */
export async function whileHeld<T>(lease: Lease, act: () => T): Promise<Awaited<T>> {
  while (!lease.holds()) await lease.sure();
  return await act();
}

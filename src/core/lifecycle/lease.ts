/** What everything that acts outward asks first: is what this daemon works on still its own? */
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

/** Begins an act in the same turn of the event loop in which the lease was compared with the clocks. Errors: `work.lease_lost`, and those of the act. */
export async function whileHeld<T>(lease: Lease, act: () => T): Promise<Awaited<T>> {
  while (!lease.holds()) await lease.sure();
  return await act();
}

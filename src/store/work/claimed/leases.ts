/** The leases of a daemon as its heartbeat sees them. */
import { isAnimusError, messageOf } from '../../../core/errors/errors.ts';
import type { Queryable } from '../../sql/database.ts';
import { sqlState } from '../../sql/database-errors.ts';
import { type Claimed, extendLeases, type LeaseReport } from '../work.ts';

/** What is known about a lease after it should have been renewed. */
export interface Renewal extends LeaseReport {
  /** How long it lasts from when the question was sent, at least. */
  readonly seconds: number;
  /**
   * Set if it was not renewed, because a transaction has locked the item; perhaps a write of its focus, which renews the lease itself. The
   * process id of that session in the database; null: it has ended by now.
   */
  readonly lockedBy?: number | null;
  /** That session is one of this daemon's: its write waits for the commit, and nobody can take the item before. */
  readonly byOwner?: boolean;
  /** The error of the database, if it refuses to change this item's row and not those of others. */
  readonly refused?: string;
}

/**
 * Renews leases: one statement, and a second one where items are locked. Where the database refuses one of the rows, each lease is renewed by itself, so that
 * no row ends the leases of others. `daemonId` null: without noting that the daemon was seen. Errors: those of the connection; that of the database if it
 * refuses all of them.
 */
export async function renewLeases(
  db: Queryable,
  daemonId: string | null,
  leases: readonly Claimed[],
  leaseSeconds: number,
): Promise<Renewal[]> {
  const refused = new Map<string, string>();
  const reports = await extendLeases(db, daemonId, leases, leaseSeconds).catch(async (error: unknown) => {
    if (sqlState(error) === undefined || isAnimusError(error)) throw error;
    await extendLeases(db, daemonId, [], leaseSeconds);
    const apart: LeaseReport[] = [];
    for (const lease of leases) {
      await extendLeases(db, null, [lease], leaseSeconds).then(
        (one) => void apart.push(...one),
        (alone: unknown) => void refused.set(lease.id, messageOf(alone)),
      );
    }
    if (refused.size === leases.length) throw error;
    return apart;
  });
  const renewed = new Set(reports.map(({ workItemId }) => workItemId));
  const locked = leases.filter(({ id }) => !renewed.has(id));
  const left = locked.length === 0 ? [] : await leasesLeft(db, locked);
  return [
    ...reports.map((report) => ({ ...report, seconds: leaseSeconds })),
    ...left.map((one) => ({ ...one, ...(refused.has(one.workItemId) && { refused: refused.get(one.workItemId)! }) })),
  ];
}

/** Says how long leases last, without locking or changing anything: it waits for no commit. */
export async function leasesLeft(db: Queryable, leases: readonly Claimed[]): Promise<Renewal[]> {
  const rows = await db.query<Omit<Renewal, 'held'>>(
    `select work_item_id as "workItemId", seconds, cancel_requested as "cancelRequested", locked_by as "lockedBy", by_owner as "byOwner"
       from animus.leases_left($1::uuid[], $2::bigint[])`,
    [leases.map(({ id }) => id), leases.map(({ leaseToken }) => leaseToken)],
  );
  const left = new Map(rows.map((row) => [row.workItemId, row]));
  return leases.map(({ id }) => ({
    workItemId: id,
    held: left.has(id),
    cancelRequested: false,
    seconds: 0,
    lockedBy: null,
    ...left.get(id),
  }));
}

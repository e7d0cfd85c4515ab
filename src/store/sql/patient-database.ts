/** Retries writes that are blocked by another transaction's row lock, without holding a connection in between. */

import { isAnimusError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Database } from './database.ts';

export interface Patience {
  readonly clock: Clock;
  /** No retry once it is aborted; then the call fails. */
  readonly signal?: AbortSignal;
  /** How long a call may take altogether, in milliseconds. */
  readonly forMs: number;
  /** The longest pause between two tries, in milliseconds; default 1,000. */
  readonly longestPauseMs?: number;
}

/** Between two tries, in milliseconds; each try waits up to 200 ms for the lock in the database (animus.lock_soon). */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/**
 * Wraps the database: statements and transactions that fail with `work.locked`, and so have written nothing, are run again. The work
 * of a transaction may therefore run several times. Errors: `work.locked` when the time is up or the signal is aborted.
 */
export function patientDatabase(db: Database, patience: Patience): Database {
  return {
    where: db.where,
    kind: db.kind,
    connectionString: db.connectionString,
    close: () => db.close(),
    query: (sql, params) => untilUnlocked(() => db.query(sql, params), patience),
    queryAfter: (opening, sql, params) => untilUnlocked(() => db.queryAfter(opening, sql, params), patience),
    transaction: (work, opening) => untilUnlocked(() => db.transaction(work, opening), patience),
  };
}

/** Runs `write` until no row lock of another transaction blocks it. */
export async function untilUnlocked<T>(write: () => Promise<T>, patience: Patience): Promise<T> {
  const { clock, signal, forMs, longestPauseMs = LONGEST_PAUSE_MS } = patience;
  const endMs = clock.monotonicMs() + forMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await write();
    } catch (error) {
      if (!isAnimusError(error, 'work.locked')) throw error;
      if (signal?.aborted || clock.monotonicMs() + pauseMs > endMs) throw error;
      await clock.sleep(pauseMs * (0.5 + Math.random()), signal);
    }
  }
}

import type { Database } from '../../src/store/sql/database.ts';

/** Removes all work in any state, with its dependent rows, keys and messages; for use between the tests of one file. */
export async function clearWork(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    // Bypasses the triggers that forbid deleting open work and truncating the ledger.
    await tx.query('set local session_replication_role = replica');
    await tx.query('truncate animus.work_items, animus.active_keys, pgmq.q_animus_work, pgmq.a_animus_work cascade');
  });
}

import type { Database } from '../../src/store/sql/database.ts';

/** Removes all work in any state, with what hangs on it, its keys and messages: between the tests of one file. */
export async function clearWork(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    // Past the triggers that let nobody delete open work, or truncate the ledger.
    await tx.query('set local session_replication_role = replica');
    await tx.query('truncate animus.work_items, animus.active_keys, pgmq.q_animus_work, pgmq.a_animus_work cascade');
  });
}

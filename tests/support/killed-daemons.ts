/** What a test need not wait for after it has killed the only daemon. */
import type { Database } from '../../src/store/sql/database.ts';

/** Lets the leases of a daemon that was killed run out now, and it be missing for as long as it has to be before its work is taken over. */
export async function letKilledDaemonBeGone(database: Database): Promise<void> {
  await database.query(
    `update animus.daemons set missing_since = animus.now() - interval '3 s', died_with = animus.held_by(id) where missing_since is null`,
  );
  await database.query(
    `update animus.work_items set lease_expires_at = animus.now() - interval '1 s' where state in ('claimed', 'running')`,
  );
}

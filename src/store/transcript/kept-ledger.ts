/** How much of its ledger a new attempt starts from. */
import type { Queryable } from '../sql/database.ts';

/** The number of the last entry that a recover hook left out with `keep: "nothing"`; 0 if everything is kept. */
export async function readLedgerKeptAfter(db: Queryable, workItemId: string): Promise<number> {
  const [row] = await db.query<{ after: number }>(
    `select coalesce((error ->> 'ledger_kept_after')::int, 0) as after from animus.work_items where id = $1`,
    [workItemId],
  );
  return row?.after ?? 0;
}

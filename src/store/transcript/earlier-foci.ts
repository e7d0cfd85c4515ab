/** Reads the earlier foci of an item: why the newest failed, and their ids. */
import type { Queryable } from '../sql/database.ts';

export interface EarlierFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * Why the focus before number `before` failed. Null when there is none, when it did not fail, and when a recover hook decided to keep
 * nothing for the next attempt (`keep: "nothing"`).
 */
export async function readLastFailure(
  db: Queryable,
  workItemId: string,
  before: number,
): Promise<EarlierFailure | null> {
  const [row] = await db.query<EarlierFailure>(
    `select coalesce(error ->> 'code', '') as code, coalesce(error ->> 'message', '') as message from animus.foci
      where work_item_id = $1 and number = $2 - 1 and ended_as = 'failed' and not error ? 'ledger_kept_after'`,
    [workItemId, before],
  );
  return row ?? null;
}

/** The ids of the foci before number `before`, newest first. */
export async function readEarlierFoci(db: Queryable, workItemId: string, before: number): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from animus.foci where work_item_id = $1 and number < $2 order by number desc`,
    [workItemId, before],
  );
  return rows.map((row) => row.id);
}

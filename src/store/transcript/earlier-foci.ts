/** What the foci of an item before this one left: why the newest failed, and which they were. */
import type { Queryable } from '../sql/database.ts';

export interface EarlierFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * Why the focus before number `before` failed. Null where there is none, where it did not fail, and where a recover hook decided that
 * the next attempt is told nothing (`keep: "nothing"`).
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

/** What the foci of an item before this one left: why the newest failed, and where they worked. */
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

/** The directories of the foci before number `before` on this host, newest first. */
export async function readEarlierDirectories(
  db: Queryable,
  workItemId: string,
  before: number,
  host: string,
): Promise<readonly string[]> {
  const rows = await db.query<{ directory: string }>(
    `select directory from animus.foci where work_item_id = $1 and number < $2 and host = $3 order by number desc`,
    [workItemId, before, host],
  );
  return rows.map((row) => row.directory);
}

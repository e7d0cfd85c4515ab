/** Reads the earlier foci of an item: why the newest failed, and their ids. */
import type { Queryable } from '../sql/database.ts';
import { readValues } from '../sql/read-value.ts';

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
  return readValues<string>(
    db,
    `select id from animus.foci where work_item_id = $1 and number < $2 order by number desc`,
    [workItemId, before],
  );
}

/** A decision of a person about an earlier attempt. */
export interface EarlierDecision {
  readonly action: string;
  readonly by: string;
  readonly note: string;
  /** What it was about: `tool_call`, `human`, `budget`. */
  readonly subject: string;
  /** The call; null where no call was asked about. */
  readonly tool: string | null;
  readonly input: string | null;
  /** How the call ended, if it ran; null: it did not. */
  readonly ran: string | null;
}

/** A call of an earlier attempt that has changed files or memories. */
export interface EarlierChange {
  readonly tool: string;
  /** The file, or what the call gave back. */
  readonly what: string;
}

/** What the earlier attempts of an item did, from the record. */
export interface EarlierActs {
  /** Ids of children. */
  readonly children: readonly string[];
  readonly decisions: readonly EarlierDecision[];
  readonly changes: readonly EarlierChange[];
  /** How many changes there are in all. */
  readonly changed: number;
  /** What people said to them. */
  readonly messages: readonly { readonly author: string; readonly text: string }[];
  /** The commits that were handed over. */
  readonly commits: readonly { readonly branch: string; readonly tip: string }[];
}

const CHANGING = ['write_file', 'edit_file', 'remove_file', 'memory_store', 'memory_update', 'memory_forget'];

/** What the attempts before the one of this focus did; empty lists where there was none, or a recover hook decided to keep nothing. */
export async function readEarlierActs(db: Queryable, focusId: string): Promise<EarlierActs> {
  const [row] = await db.query<EarlierActs>(`select * from animus.read_earlier_acts($1, $2)`, [focusId, CHANGING]);
  return row!;
}

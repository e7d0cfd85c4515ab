/** Worktrees whose directory is to be removed or counted: thin calls of the SQL functions. */

import type { WorktreeState } from '../../core/work/worktree-state.ts';
import type { Queryable } from '../sql/database.ts';
import { readValue, readValues } from '../sql/read-value.ts';

/** A worktree that a person has discarded. */
export interface DiscardedWorktree {
  readonly id: string;
  readonly work_item_id: string;
  readonly host: string;
  readonly path: string;
  /** Of the directory that it is in. */
  readonly place: string;
  /** The git directory of the repository. */
  readonly repo: string;
  readonly branch: string;
  readonly state: WorktreeState;
}

/**
 * Gives up the worktree of an item, or of its conversation: the daemon of its host removes directory, branch and refs. With `isGone`, the caller has
 * moved the directory away in this transaction and removes the rest. For operators and the submitter of the item. Errors: `work.not_found`,
 * `work.state` while work goes on in it, `work.locked`, `db.forbidden`.
 */
export async function discardWorktree(tx: Queryable, id: string, isGone = false): Promise<DiscardedWorktree> {
  const [row] = await tx.query<DiscardedWorktree>(
    'select id, work_item_id, host, path, place, repo, branch, state from animus.discard_worktree($1::uuid, $2)',
    [id, isGone],
  );
  return row!;
}

/** A worktree that may be removed. */
export interface RemovableWorktree {
  readonly id: string;
  readonly repo: string;
  readonly branch: string;
  /** A person has given it up, with its branch and refs. */
  readonly discard: boolean;
  /** It may be removed only if a look shows that nothing would be lost. */
  readonly proof: boolean;
  /** When its row last changed; a text of the database. */
  readonly seen: string;
}

/** Which worktrees retention is about. */
export interface WorktreeRetention {
  /** The id of the directory that they are in. */
  readonly place: string;
  /** Ended worktrees with nothing of their own are removed after so many days. */
  readonly days: number;
  /** Those that hold something, too; null: never. */
  readonly heldDays: number | null;
}

/** At most `limit`, those that are discarded first. */
export async function removableWorktrees(
  db: Queryable,
  { place, days, heldDays }: WorktreeRetention,
  limit: number,
): Promise<RemovableWorktree[]> {
  return db.query<RemovableWorktree>(
    'select id, repo, branch, discard, proof, seen::text as seen from animus.removable_worktrees($1::uuid, $2, $3, $4)',
    [place, days, heldDays, limit],
  );
}

/** Locks it until the end of the transaction; false: work goes on in it or went on since `seen`, or somebody else has locked it. */
export async function takeWorktree(
  tx: Queryable,
  { id, seen }: Pick<RemovableWorktree, 'id' | 'seen'>,
  place: string,
): Promise<boolean> {
  return readValue<boolean>(tx, 'select animus.take_worktree($1::uuid, $2::uuid, $3::timestamptz)', [id, place, seen]);
}

/** The worktree with this end of its id, locked until the end of the transaction; null: it is locked, or not known. */
export async function movedWorktree(
  tx: Queryable,
  name: string,
  place: string,
): Promise<{ readonly id: string; readonly isThere: boolean } | null> {
  const [row] = await tx.query<{ id: string; is_there: boolean }>(
    'select id, is_there from animus.moved_worktree($1, $2::uuid)',
    [name, place],
  );
  return row === undefined ? null : { id: row.id, isThere: row.is_there };
}

/** Records what became of its directory, in the transaction that has taken it. */
export async function endWorktree(
  tx: Queryable,
  id: string,
  place: string,
  state: Extract<WorktreeState, 'removed' | 'discarded' | 'lost'>,
): Promise<void> {
  await tx.query('select animus.end_worktree($1::uuid, $2::uuid, $3)', [id, place, state]);
}

/** Ids of those in a place whose bytes were not counted for a day. */
export async function unmeasuredWorktrees(db: Queryable, place: string, limit: number): Promise<string[]> {
  return readValues<string>(db, 'select id from animus.unmeasured_worktrees($1::uuid, $2) u (id)', [place, limit]);
}

/** Records its bytes, or what in it is on no branch. */
export async function noteWorktree(
  db: Queryable,
  id: string,
  place: string,
  { bytes = null, holds = null }: { readonly bytes?: number | null; readonly holds?: readonly string[] | null },
): Promise<void> {
  await db.query('select animus.note_worktree($1::uuid, $2::uuid, $3, $4)', [id, place, bytes, holds]);
}

/** Forgets worktrees that have been gone for `days`, with their items; null: another daemon is running retention. */
export async function pruneWorktrees(db: Queryable, days: number, limit: number): Promise<number | null> {
  return readValue<number | null>(db, 'select animus.prune_worktrees(make_interval(secs => $1::float8 * 86400), $2)', [
    days,
    limit,
  ]);
}

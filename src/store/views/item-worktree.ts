/** Where the result of an item is that worked in a worktree. Rows keep the names of their columns, as in work-views. */
import type { WorkState } from '../../core/work/work.ts';
import type { WorktreeState } from '../../core/work/worktree-state.ts';
import type { Queryable } from '../sql/database.ts';
import { nullIfForbidden } from '../sql/database-errors.ts';
import { noWork } from './views-of-login.ts';

/** An item, and its worktree. All fields of a worktree are null for an item that has none. */
export interface ItemWorktree {
  readonly work_item_id: string;
  readonly item_state: WorkState;
  readonly faculty: string;
  /** How the item ended, in a line or more. */
  readonly summary: string | null;
  readonly merged_into: string | null;
  readonly ended_at: Date | null;
  /** The item's own id, or that of the conversation whose answers share the worktree. */
  readonly worktree_id: string | null;
  /** Null also for a person who does not see all work, as `path`, `place` and `repo`. */
  readonly host: string | null;
  readonly path: string | null;
  /** The id of the directory that contains it. */
  readonly place: string | null;
  /** The git directory of the repository. */
  readonly repo: string | null;
  readonly branch: string | null;
  readonly state: WorktreeState | null;
  readonly bytes: number | null;
  readonly holds: readonly string[] | null;
  /** Who wants it removed. */
  readonly discard_by: string | null;
  /** The commit that the item began at; null: nothing was handed over yet. */
  readonly start: string | null;
  /** Of the branch. */
  readonly tip: string | null;
  /** A commit on top of `tip` with what was left uncommitted; null: nothing was. */
  readonly rest: string | null;
  /** Of the whole patch, also where it is too large to be stored. */
  readonly patch_bytes: number | null;
  readonly has_patch: boolean;
  readonly lost: string | null;
}

/** The item and its worktree, for anyone who may see the item. Errors: `work.not_found`. */
export async function readItemWorktree(db: Queryable, id: string): Promise<ItemWorktree> {
  const [row] = await db.query<ItemWorktree>(
    `select work_item_id, item_state, faculty, left(summary, 10000) as summary, merged_into, ended_at, worktree_id, host, path, place, repo, branch, state,
            bytes::float8 as bytes, holds, discard_by, start, tip, rest, patch_bytes::float8 as patch_bytes, has_patch, lost
       from animus.item_worktree($1::uuid)`,
    [id],
  );
  if (row === undefined) throw noWork(id);
  return row;
}

/** What an item has handed over. */
type ItemResult = ItemWorktree & { readonly branch: string; readonly start: string; readonly tip: string };

/** The same for an item that has handed something over. Errors: `work.not_found`, also for one without a worktree: it has no such file. */
export async function readItemResult(db: Queryable, id: string): Promise<ItemResult> {
  const item = await readItemWorktree(db, id);
  const { branch, start, tip } = item;
  if (branch === null || start === null || tip === null) throw noWork(id);
  return { ...item, branch, start, tip };
}

/** The stored patch, as `git diff --binary` made it; null: none is stored, or the actor may not see the item. */
export async function readItemPatch(db: Queryable, id: string): Promise<Buffer | null> {
  const [row] = await db.query<{ patch: Uint8Array | null }>('select animus.item_patch($1::uuid) as patch', [id]);
  return row?.patch ? Buffer.from(row.patch) : null;
}

/** A worktree whose directory is there. */
export interface KeptWorktree {
  readonly id: string;
  readonly work_item_id: string;
  readonly faculty: string;
  readonly host: string;
  readonly path: string;
  readonly repo: string;
  readonly branch: string;
  readonly state: Extract<WorktreeState, 'open' | 'kept'>;
  /** Null: not counted yet. */
  readonly bytes: number | null;
  readonly holds: readonly string[];
  readonly discard_by: string | null;
  readonly updated_at: Date;
}

/** Worktrees whose directory is there, the longest unused first, at most `limit`; of one host, if it is given. For logins that may read the tables. */
export async function readKeptWorktrees(db: Queryable, host: string | null, limit: number): Promise<KeptWorktree[]> {
  return db.query<KeptWorktree>(
    `select id, work_item_id, faculty, host, path, repo, branch, state, bytes::float8 as bytes, holds, discard_by, updated_at
       from animus.worktrees where state in ('open', 'kept') and ($1::text is null or host = $1) order by updated_at, id limit $2`,
    [host, limit],
  );
}

/**
 * The worktree of an item that is deleted, by a full id or at least 4 digits of its start or end; as `readItemWorktree` returns it. Null: there is none, several
 * fit, or the login may not read all worktrees.
 */
export async function findWorktree(db: Queryable, reference: string): Promise<ItemWorktree | null> {
  const digits = reference.trim().toLowerCase().replaceAll('-', '');
  if (!/^[0-9a-f]{4,32}$/.test(digits)) return null;
  const reading = db.query<ItemWorktree>(
    `select t.work_item_id, 'completed' as item_state, t.faculty, null as summary, null::uuid as merged_into, t.updated_at as ended_at, t.id as worktree_id,
            t.host, t.path, t.place, t.repo, t.branch, t.state, t.bytes::float8 as bytes, t.holds, t.discard_by, null as start, null as tip, null as rest,
            null::float8 as patch_bytes, false as has_patch, null as lost
       from animus.worktrees t cross join lateral (values (replace(t.id::text, '-', '')), (replace(t.work_item_id::text, '-', ''))) d (digits)
      where starts_with(d.digits, $1) or right(d.digits, length($1)) = $1 group by t.id limit 2`,
    [digits],
  );
  const rows = await reading.catch(nullIfForbidden);
  return rows?.length === 1 ? rows[0]! : null;
}

/** The private repositories of work with `isolation = "worktree"`: thin calls of the SQL functions (docs/worktrees.md). */
import type { WorktreeState } from '../../core/work/worktree-state.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';

/** The key of a write: the lease of the item that works in it. */
export interface WorktreeHolder {
  readonly workItemId: string;
  readonly leaseToken: string;
}

/** Commits that were handed over to the repository: the branch, and the uncommitted files on top of it. */
export interface HandedCommits {
  readonly tip: string;
  readonly rest: string | null;
}

/** A recorded worktree, as an item finds it. */
export interface RecordedWorktree {
  readonly host: string;
  readonly path: string;
  readonly place: string;
  /** The git directory of the repository that it was made from. */
  readonly repo: string;
  readonly branch: string;
  readonly base: string;
  readonly state: WorktreeState;
  /** All of it but ignored files was handed over since work in it last began. */
  readonly handed: boolean;
  /** When something of it was last handed over; null: never. */
  readonly handedAt: Date | null;
  /** The item that worked in it last. */
  readonly lastItem: string;
  /** What this item handed over, and whether that was at its end; null: nothing yet. */
  readonly own: (HandedCommits & { readonly ended: boolean }) | null;
  /** What the answer before it on its branch of the conversation left; null: there is none. */
  readonly before: (HandedCommits & { readonly item: string }) | null;
}

/**
 * `id`: the item, or the conversation that it answers in. Where no worktree is recorded, there may be one in the directory of an earlier focus, of a version
 * that made it there: `earlier` has those before number `before`, newest first.
 */
export async function readWorktree(
  db: Queryable,
  id: string,
  workItemId: string,
  before: number,
): Promise<{ readonly recorded: RecordedWorktree | null; readonly earlier: readonly string[] }> {
  const [row] = await db.query<RecordedWorktree & { readonly earlier: readonly string[] }>(
    `select w.host, path, place, repo, branch, base, state, handed, handed_at as "handedAt", last_item as "lastItem",
            case when own_tip is not null then json_build_object('tip', own_tip, 'rest', own_rest, 'ended', own_ended) end as own,
            case when before_tip is not null then json_build_object('tip', before_tip, 'rest', before_rest, 'item', before_item) end as before,
            case when w.host is null then array(select f.id from animus.foci f where f.work_item_id = $2 and f.number < $3 order by f.number desc)
                 else '{}' end as earlier
       from (values (1)) one left join animus.worktree_of($1, $2) w on true`,
    [id, workItemId, before],
  );
  const { earlier, ...recorded } = row!;
  return { recorded: recorded.host === null ? null : recorded, earlier };
}

/** A worktree that work is about to begin in. */
export interface HeldWorktree
  extends Pick<RecordedWorktree, 'host' | 'path' | 'place' | 'repo' | 'branch' | 'base' | 'handed'> {
  readonly id: string;
  readonly lost: string | null;
}

/**
 * Records where the worktree is: before anything is made there, and again when work in it begins (`handed` is false then). `lost`: what was lost, in words
 * for people. Errors: `work.lease_lost`, `work.locked` while another answer works in it.
 */
export async function holdWorktree(
  db: Queryable,
  { workItemId, leaseToken }: WorktreeHolder,
  worktree: HeldWorktree,
): Promise<void> {
  const { id, host, path, place, repo, branch, base, handed, lost } = worktree;
  const hold = 'select animus.hold_worktree($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)';
  await db.query(hold, [workItemId, leaseToken, id, host, path, place, repo, branch, base, handed, lost]);
}

/** What the end of a stint in a worktree left. */
export interface WorktreeRecord {
  readonly id: string;
  readonly state: WorktreeState;
  readonly handed: boolean;
  readonly holds: readonly string[];
  /** Of the repository; not always that of the checkout. */
  readonly branch: string;
  /** Null: nothing could be handed over, and what was handed over before stays. */
  readonly result: WorktreeResult | null;
}

/** What an item has changed, as far as it was handed over. */
export interface WorktreeResult extends HandedCommits {
  /** The commit that the item began at. */
  readonly start: string;
  readonly patch: Buffer | null;
  readonly patchBytes: number;
  /** The item has ended. */
  readonly ended: boolean;
}

/** Records it. Errors: `work.lease_lost`, `work.locked`. */
export async function recordWorktree(
  db: Queryable,
  { workItemId, leaseToken }: WorktreeHolder,
  { id, state, handed, holds, branch, result }: WorktreeRecord,
): Promise<void> {
  const { patch = null, patchBytes: patch_bytes, ...rest } = result ?? {};
  const record = 'select animus.record_worktree($1, $2, $3, $4, $5, $6::text[], $7, $8::jsonb, $9)';
  const handedOver = result && toJsonb({ ...rest, patch_bytes });
  await db.query(record, [workItemId, leaseToken, id, state, handed, holds, branch, handedOver, patch]);
}

/** Finds what a work item has changed in its worktree. */
import { AnimusError } from '../../../core/errors/errors.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { findWork } from '../../../store/views/find-work.ts';
import { type ItemWorktree, readItemPatch, readItemWorktree } from '../../../store/views/item-worktree.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { shortId, WORK_OF_ANOTHER } from '../../../terminal/view/quantities.ts';

/** The result of an item: commits of a branch. */
export interface FoundResult {
  readonly item: ItemWorktree;
  /** How its branch is called. */
  readonly branch: string;
  /** The commit it began at, the last one of the branch, and one with what was left uncommitted on top of that. */
  readonly start: string;
  readonly tip: string;
  readonly rest: string | null;
  /** Everything that it changed is between `start` and this. */
  readonly end: string;
  /** As it is stored; null: it is too large, or empty. */
  readonly patch: Buffer | null;
}

/**
 * The result of the item that a reference names, or of the one it merged into. Null: it worked in a worktree and changed nothing. Errors: those of
 * `findWork`; `worktree.none` for an item without a worktree, or whose result was not handed over yet.
 */
export async function findResult(invocation: Invocation, reference: string): Promise<FoundResult | null> {
  return withDatabase(invocation, async (db) => {
    const item = await readFollowed(db, await findWork(db, reference));
    const found = resultOf(item);
    if (found === null) return null;
    return { ...found, patch: item.has_patch ? await readItemPatch(db, item.work_item_id) : null };
  });
}

/** The worktree of an item, or of the one it merged into. Errors: `work.not_found`. */
export async function readFollowed(db: Queryable, id: string): Promise<ItemWorktree> {
  const item = await readItemWorktree(db, id);
  return item.item_state === 'merged' && item.merged_into !== null ? readFollowed(db, item.merged_into) : item;
}

function resultOf(item: ItemWorktree): Omit<FoundResult, 'patch'> | null {
  const { branch, start, tip, rest } = item;
  const id = shortId(item.work_item_id);
  if (item.item_state === 'merged')
    throw none(`work item ${id} merged into ${WORK_OF_ANOTHER}: only a reader sees its result`);
  if (branch === null) {
    const why = `has no branch: it did not work in a worktree of a repository (isolation = "worktree")`;
    throw none(`work item ${id} ${why}; see what it did: animus work show ${id}`);
  }
  if (start === null || tip === null) {
    const what = item.ended_at === null ? `follow it: animus work tail ${id}` : `see why: animus work show ${id}`;
    throw none(`work item ${id} is ${item.item_state} and has handed over nothing; ${what}`);
  }
  if (tip === start && rest === null) return null;
  return { item, branch, start, tip, rest, end: rest ?? tip };
}

function none(detail: string): AnimusError {
  return new AnimusError('worktree.none', { detail });
}

/** One round of looking after the worktrees of ended work in one place: removes what people have discarded and what retention allows, and counts the bytes of the others. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { RetentionConfig } from '../../core/config/sections/daemon.ts';
import { messageOf } from '../../core/errors/errors.ts';
import type { Database } from '../../store/sql/database.ts';
import {
  endWorktree,
  movedWorktree,
  noteWorktree,
  type RemovableWorktree,
  removableWorktrees,
  takeWorktree,
  unmeasuredWorktrees,
} from '../../store/work/kept-worktrees.ts';
import type { Log } from '../../telemetry/log.ts';
import { worktreeNames } from '../worktrees/worktree-refs.ts';
import type { WorktreesRoot } from '../worktrees/worktrees-root.ts';
import { deleteRefs } from './delete-refs.ts';
import { directoryBytes } from './directory-bytes.ts';
import { deleteMoved, moveAway, movedNames, putBack } from './move-away.ts';
import { heldIn } from './proved-empty.ts';

export interface PlaceKeeper {
  readonly db: Database;
  readonly log: Log;
  readonly place: WorktreesRoot;
  readonly retention: Pick<RetentionConfig, 'worktreeDays' | 'heldWorktreeDays'>;
}

/** What one round did. */
export interface Tended {
  /** Ids. */
  readonly removed: readonly string[];
  readonly discarded: readonly string[];
  /** Those that turned out to hold something. */
  readonly held: readonly string[];
}

const BATCH = 20;

/** A worktree that cannot be removed is logged, and the others are. Errors: those of the database. */
export async function tendWorktrees(keeper: PlaceKeeper): Promise<Tended> {
  const { db, log, place, retention } = keeper;
  await finishMoved(keeper);
  const tended = { removed: [] as string[], discarded: [] as string[], held: [] as string[] };
  const rule = { place: place.place, days: retention.worktreeDays, heldDays: retention.heldWorktreeDays };
  for (const tree of await removableWorktrees(db, rule, BATCH)) {
    try {
      const became = await removeOne(keeper, tree);
      if (became !== null) tended[became].push(tree.id);
    } catch (error) {
      log.warn(
        { worktree: join(place.path, worktreeNames(tree.id).name), error: messageOf(error) },
        'could not remove a worktree; the next round tries again',
      );
    }
  }
  for (const id of await unmeasuredWorktrees(db, place.place, BATCH)) {
    const bytes = await directoryBytes(join(place.path, worktreeNames(id).name));
    await noteWorktree(db, id, place.place, { bytes });
  }
  return tended;
}

/** Null: work goes on in it, or another daemon is at it. */
async function removeOne({ db, log, place }: PlaceKeeper, tree: RemovableWorktree): Promise<keyof Tended | null> {
  const directory = join(place.path, worktreeNames(tree.id).name);
  if (tree.proof && isThere(directory)) {
    const holds = await heldIn({ id: tree.id, directory, repo: tree.repo });
    if (holds.length > 0) {
      await noteWorktree(db, tree.id, place.place, { holds });
      return 'held';
    }
  }
  const became = await db.transaction(async (tx) => {
    if (!(await takeWorktree(tx, tree, place.place))) return null;
    const moved = await moveAway(place.path, tree.id);
    if (tree.discard) {
      const { branchKept } = await deleteRefs(tree.repo, tree);
      if (branchKept !== null)
        log.info({ worktree: directory }, `a worktree was discarded without its branch: ${branchKept}`);
    }
    await endWorktree(tx, tree.id, place.place, tree.discard ? 'discarded' : moved ? 'removed' : 'lost');
    return tree.discard ? 'discarded' : 'removed';
  });
  // Were the commit not confirmed, the next round would find out from the row which it is.
  if (became !== null) await deleteMoved(place.path, tree.id);
  return became;
}

/** A process may have ended between moving a directory away and deleting it: whether its transaction was committed, its row says. */
async function finishMoved({ db, log, place }: PlaceKeeper): Promise<void> {
  for (const name of await movedNames(place.path)) {
    await db.transaction(async (tx) => {
      const tree = await movedWorktree(tx, name, place.place);
      // Somebody is at it, or it belongs to another database.
      if (tree === null) return;
      if (!tree.isThere) return deleteMoved(place.path, tree.id);
      const directory = join(place.path, name);
      if (!isThere(directory)) return putBack(place.path, tree.id);
      log.warn(
        { worktree: directory },
        `the worktree was made again while .removing-${name} has its former content; look at both`,
      );
    });
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** `animus work discard`: gives up what an item has made, with its directory, branch and refs. */
import { AnimusError, isAnimusError, messageOf, usageError } from '../../../core/errors/errors.ts';
import { systemClock } from '../../../core/lifecycle/clock.ts';
import { isTerminal } from '../../../core/work/work.ts';
import type { WorktreesRoot } from '../../../daemon/worktrees/worktrees-root.ts';
import type { Database } from '../../../store/sql/database.ts';
import { untilUnlocked } from '../../../store/sql/patient-database.ts';
import { findWork } from '../../../store/views/find-work.ts';
import { findWorktree, type ItemWorktree } from '../../../store/views/item-worktree.ts';
import { type DiscardedWorktree, discardWorktree } from '../../../store/work/kept-worktrees.ts';
import { openQuestions } from '../../../terminal/command/ask.ts';
import type { CommonOptions, Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { styled } from '../../../terminal/view/output.ts';
import { bytes, shortId } from '../../../terminal/view/quantities.ts';
import { heldText } from '../../../terminal/view/show-worktrees.ts';
import { readFollowed } from './find-result.ts';

interface DiscardOptions extends CommonOptions {
  readonly yes?: boolean;
}

/** How long it is tried again while another transaction keeps the work locked. */
const PATIENCE = { clock: systemClock, forMs: 5000 } as const;

export async function discardCommand(
  invocation: Invocation,
  { yes }: DiscardOptions,
  reference: string,
): Promise<number> {
  const { output } = invocation;
  return withDatabase(invocation, async (db) => {
    const item = await findDiscardable(db, reference);
    if (item === null) {
      output.document({ discarded: false });
      output.note('it is already discarded');
      return 0;
    }
    if (!(await confirmed(invocation, item, yes === true))) return 1;
    const id = item.work_item_id;
    // First by itself: if this command ends before the rest, the daemon of the host does it.
    const tree = await untilUnlocked(() => discardWorktree(db, id), PATIENCE);
    const here = await placeHere(invocation, tree);
    const done = here === null ? null : await removeHere(db, id, tree, here);
    const left = done ?? { removed: false, branchKept: null, why: `it is on ${tree.host}` };
    output.document({
      work_item_id: id,
      discarded: true,
      branch: tree.branch,
      path: tree.path,
      host: tree.host,
      removed: left.removed,
      branch_kept: left.branchKept,
    });
    output.line(styled('discarded', 'bold'), `  ${tree.branch}`, left.removed ? `, ${tree.path}` : '');
    if (left.branchKept !== null)
      output.note(`the branch stays: ${left.branchKept}; delete it with: git branch -D ${tree.branch}`);
    if (!left.removed)
      output.note(`${tree.path} is not removed yet (${left.why}): a daemon of that host will do it within two minutes`);
    return 0;
  });
}

/** Null: it is discarded. Errors: those of `findWork`; `worktree.none`. */
async function findDiscardable(db: Database, reference: string): Promise<ItemWorktree | null> {
  const item = await findIt(db, reference);
  const id = shortId(item.work_item_id);
  if (item.worktree_id === null)
    throw new AnimusError('worktree.none', {
      detail: `work item ${id} has no worktree, so there is nothing to discard`,
    });
  if (item.state === 'discarded') return null;
  if (isTerminal(item.item_state)) return item;
  const detail = `work item ${id} is ${item.item_state}; wait until it has ended, or cancel it first: animus work cancel ${id}`;
  throw new AnimusError('work.state', { id: item.work_item_id, detail });
}

/** The item may have been deleted long ago: its worktree is known by the same id. */
async function findIt(db: Database, reference: string): Promise<ItemWorktree> {
  try {
    return await readFollowed(db, await findWork(db, reference));
  } catch (error) {
    if (!isAnimusError(error, 'work.not_found')) throw error;
    const left = await findWorktree(db, reference);
    if (left === null) throw error;
    return left;
  }
}

async function confirmed(invocation: Invocation, item: ItemWorktree, yes: boolean): Promise<boolean> {
  const { output, context } = invocation;
  const stdin = context.stdin;
  const canAsk = 'isTTY' in stdin && stdin.isTTY === true && context.stdout.isTTY === true && !output.json;
  if (!yes && !canAsk) throw usageError('discard asks on a terminal; anywhere else, confirm it with --yes');
  if (yes) return true;
  const size = item.bytes === null ? '' : ` (${bytes(item.bytes)})`;
  output.line(styled(shortId(item.work_item_id), 'bold'), `  ${item.faculty}  ${item.item_state}`);
  output.line(`  branch     ${item.branch ?? ''} and its refs`);
  if (item.state === 'open' || item.state === 'kept') output.line(`  directory  ${item.path ?? ''}${size}`);
  for (const word of item.holds ?? []) output.line('  ', styled('only there ', 'yellow'), heldText(word));
  if (item.worktree_id !== item.work_item_id) output.line('  It is the worktree of the whole conversation.');
  const questions = openQuestions(context, false);
  try {
    const answer = await questions.ask('Discard it? What was not merged or copied will be lost. yes or no', 'no');
    if (/^y(es)?$/i.test(answer)) return true;
    output.note('nothing was discarded');
    return false;
  } finally {
    questions.close();
  }
}

/** The directory of worktrees of this machine, if the worktree is in it. */
async function placeHere({ reach }: Invocation, { place }: DiscardedWorktree): Promise<WorktreesRoot | null> {
  const { placeOf } = await import('../../../daemon/kept/place-of.ts');
  const here = placeOf((await reach()).home);
  return here?.place === place ? here : null;
}

interface Removal {
  readonly removed: boolean;
  /** Why the branch stays; null: it is gone. */
  readonly branchKept: string | null;
  /** Why it was not removed. */
  readonly why: string;
}

/** As the daemon does it. What this user may not remove is left to the daemon. */
async function removeHere(
  db: Database,
  id: string,
  tree: DiscardedWorktree,
  { path }: WorktreesRoot,
): Promise<Removal> {
  const { deleteMoved, moveAway } = await import('../../../daemon/kept/move-away.ts');
  const { deleteRefs } = await import('../../../daemon/kept/delete-refs.ts');
  try {
    const { branchKept } = await db.transaction(async (tx) => {
      const locked = await discardWorktree(tx, id);
      await moveAway(path, locked.id);
      const refs = await deleteRefs(locked.repo, locked);
      await discardWorktree(tx, id, true);
      return refs;
    });
    await deleteMoved(path, tree.id);
    return { removed: true, branchKept, why: '' };
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return { removed: false, branchKept: null, why: messageOf(error) };
  }
}

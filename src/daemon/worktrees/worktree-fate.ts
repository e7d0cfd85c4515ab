/** Decides what becomes of the worktree of an item, from what is recorded and what is there. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { HandedCommits, RecordedWorktree } from '../../store/work/worktrees.ts';

/**
 * `new`: there was none. `kept`: it is there, with everything in it. `switched`: it is there with the files of another answer of the conversation, which
 * are handed over and replaced. `damaged`: its files are there, and its `.git` is made again. `again`: made again from what was handed over, which was all
 * but ignored files. `lost`: the same, and something that was not handed over is lost.
 */
export type Made = 'new' | 'kept' | 'switched' | 'damaged' | 'again' | 'lost';

/** What is known when a worktree is wanted. */
export interface WorktreeFacts {
  readonly id: string;
  readonly workItemId: string;
  readonly recorded: RecordedWorktree | null;
  readonly path: string;
  /** Of the directory of worktrees that this daemon sees. */
  readonly place: string;
  readonly found: 'whole' | 'damaged' | 'gone';
}

/** The decision. */
export interface Fate {
  readonly made: Made;
  /** The commits that the files come from; null: the base. */
  readonly begin: HandedCommits | null;
  /** For people; null: nothing was lost. */
  readonly lost: string | null;
}

/** Errors: `worktree.elsewhere` where it is not proved to be gone, and has more than was handed over. */
export function fateOf(facts: WorktreeFacts): Fate {
  const { recorded, found, path, place } = facts;
  if (recorded === null) return { made: found === 'gone' ? 'new' : 'kept', begin: null, lost: null };
  const begin = wantedState(facts, recorded);
  const wasGivenUp = recorded.state === 'discarded' || recorded.state === 'removed';
  if (wasGivenUp) return { made: 'again', begin, lost: null };
  if (found === 'whole') return { made: isCurrent(facts, recorded) ? 'kept' : 'switched', begin, lost: null };
  if (found === 'damaged')
    return {
      made: 'damaged',
      begin,
      lost: `${path}/.git was damaged and made again from what was handed over; commits made since are in no branch`,
    };
  if (recorded.place === place) {
    return { made: recorded.handed ? 'again' : 'lost', begin, lost: lostWords(path, recorded) };
  }
  if (recorded.handed) return { made: 'again', begin, lost: null };
  throw new AnimusError('worktree.elsewhere', { path: recorded.path, host: recorded.host, id: facts.workItemId });
}

/** Where this item goes on: at what it has done itself, else after the answer before, else at the base. */
function wantedState({ id, workItemId }: WorktreeFacts, { own, before }: RecordedWorktree): HandedCommits | null {
  // An answer that has ended and is asked for again begins as it began.
  if (own !== null && (id === workItemId || !own.ended)) return own;
  return before;
}

/** Whether the files that are there are those that this item goes on with. */
function isCurrent({ id, workItemId }: WorktreeFacts, { own, before, lastItem }: RecordedWorktree): boolean {
  if (id === workItemId) return true;
  if (lastItem === workItemId) return own?.ended !== true;
  return before?.item === lastItem && (own === null || own.ended);
}

function lostWords(path: string, { handed, handedAt }: RecordedWorktree): string {
  const since = handedAt === null ? '' : ` on ${handedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return handed
    ? `somebody removed ${path}; only files that git ignores were lost, because everything else had been handed over${since}`
    : `somebody removed ${path} while work was in it; what was changed after it was last handed over${since} is lost`;
}

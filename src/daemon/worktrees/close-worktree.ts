/** Ends a stretch of work in a worktree: hands over what was made, and says what only the directory has. */
import { realpath } from 'node:fs/promises';
import { AnimusError } from '../../core/errors/errors.ts';
import type { WorktreeState } from '../../core/work/worktree-state.ts';
import { removeRenamed } from '../../process/remove-directory.ts';
import type { GitWriter } from '../git/git.ts';
import { writeGit } from '../git/repository-writes.ts';
import type { CommitWords, LeftReason } from '../git/snapshot.ts';
import { moveAside } from './beside.ts';
import { type HandedOver, handOver } from './hand-over.ts';
import { lookAtSubmodules, type SubmoduleWork } from './look-at-submodules.ts';
import { mendPrivate } from './mend-private.ts';
import type { Worktree } from './worktree.ts';
import { isPlainDirectory } from './worktrees-root.ts';

/** Why a directory has something that is nowhere else; docs/worktrees.md explains each word. */
export type Hold = LeftReason | 'submodule';

/** How the stint ends. */
export interface StintEnd {
  /** The item has ended: nothing goes on in the worktree. */
  readonly ended: boolean;
  /** What is left uncommitted becomes part of the branch. */
  readonly commit: boolean;
  readonly words: CommitWords;
}

/** What the stint left. */
export interface ClosedWorktree extends HandedOver {
  /** Changed paths, also those that cannot be handed over; sorted. */
  readonly files: readonly string[];
  readonly holds: readonly Hold[];
  /** `removed`: it has nothing that is not in the repository, and can be removed. */
  readonly state: WorktreeState;
}

/** Errors: `worktree.failed`; then everything stays as it is. */
export async function closeWorktree(worktree: Worktree, end: StintEnd, git: GitWriter): Promise<ClosedWorktree> {
  const { path, origin, place } = worktree;
  if (!isPlainDirectory(path) || (await realpath(path)) !== path) {
    throw new AnimusError('worktree.failed', { repo: worktree.spec.repo, detail: `${path} was replaced` });
  }
  await mendPrivate(path, false, origin, git);
  const submodules = await lookAtSubmodules(place, git);
  const handed = await handOver(worktree, end, git);
  await pinAnswer(worktree, handed, git);
  const { changes } = handed;
  const { embedded, filtered, names } = handed.left;
  const files = [...new Set([...changes.files, ...submodules.files, ...embedded, ...filtered, ...names])].toSorted();
  const holds = whatHolds(handed, submodules);
  const isEmpty = end.ended && files.length === 0 && holds.length === 0 && isUntouched(worktree, handed, submodules);
  return { ...handed, files, holds, state: isEmpty ? 'removed' : end.ended ? 'kept' : 'open' };
}

function isUntouched({ base }: Worktree, { tip, rest, others }: HandedOver, submodules: SubmoduleWork): boolean {
  return tip === base && rest === null && others.length === 0 && submodules.more.length === 0;
}

function whatHolds({ left, changes }: HandedOver, submodules: SubmoduleWork): readonly Hold[] {
  const holds: Readonly<Record<Hold, boolean>> = {
    ignored: left.ignored.length > 0,
    // A commit of a submodule is named by the branch, and is only in the submodule's own repository.
    submodule: submodules.files.length > 0 || submodules.more.length > 0 || changes.gitlinks.length > 0,
    embedded: left.embedded.length > 0,
    filtered: left.filtered.length > 0,
    names: left.names.length > 0,
  };
  return (Object.keys(holds) as Hold[]).filter((hold) => holds[hold]);
}

/** What each answer of a conversation left is kept: a person may go back to it. */
async function pinAnswer({ spec, names, origin }: Worktree, { tip, rest }: HandedOver, git: GitWriter): Promise<void> {
  if (spec.id === spec.workItemId) return;
  const commit = rest ?? tip;
  await writeGit(origin.place, ['update-ref', `${names.answers}${commit.slice(0, 12)}`, commit], git);
}

/** Removes a worktree that has nothing of its own, with its refs; it is recorded as removed before. Errors: `worktree.failed`. */
export async function removeWorktree(
  { path, origin }: Worktree,
  { refs }: Pick<ClosedWorktree, 'refs'>,
  git: GitWriter,
): Promise<void> {
  const aside = await moveAside(path, git.lease);
  const stdin = refs.map((ref) => `delete ${ref}\n`).join('');
  await Promise.all([
    aside !== null && removeRenamed(aside),
    writeGit(origin.place, ['update-ref', '--stdin'], git, { stdin, isLast: true }),
  ]);
}

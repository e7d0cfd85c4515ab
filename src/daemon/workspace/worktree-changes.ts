/** What a focus changed in its worktree since the start of its branch. */

import { AnimusError } from '../../core/errors/errors.ts';
import type { GitMeans, GitPlace } from './git.ts';
import { readGit } from './repository-writes.ts';
import { dropStaleLocks, unfitEntry } from './worktree-entry.ts';

/** Commits and files; see `changesIn`. */
export interface WorktreeChanges {
  readonly branch: string;
  readonly commits: number;
  /** Paths relative to the root that differ from the base: committed, uncommitted and new ones; sorted, at most 1,000. */
  readonly changedFiles: readonly string[];
  readonly moreFiles: number;
}

const MAX_FILES = 1000;

/** Counts commits and changed files. The agent may have left its branch, or deleted it. Errors: `worktree.failed`. */
export async function changesIn(
  place: GitPlace,
  { branch, base }: { readonly branch: string; readonly base: string },
  means: GitMeans,
): Promise<WorktreeChanges> {
  await dropStaleLocks(place.gitDir);
  const unfit = await unfitEntry(place.gitDir);
  if (unfit !== null) throw new AnimusError('worktree.failed', { repo: place.commonDir, detail: unfit });
  const diff = ['diff', '--name-only', '--no-ext-diff', '--no-textconv', '--no-renames', '-z', base, '--'];
  const tracked = await readGit(place, diff, means);
  const untracked = await readGit(place, ['ls-files', '--others', '--exclude-standard', '-z'], means);
  // Both HEAD and the branch, if it exists, count. The brackets make it a pattern, which may match nothing.
  const tips = ['HEAD', `--glob=refs/heads/${branch.slice(0, -1)}[${branch.slice(-1)}]`];
  const commits = await readGit(place, ['rev-list', '--count', ...tips, '--not', base], means);
  const files = [...new Set([...tracked.split('\0'), ...untracked.split('\0')])]
    .filter((name) => name !== '')
    .toSorted();
  return {
    branch,
    commits: Number(commits),
    changedFiles: files.slice(0, MAX_FILES),
    moreFiles: Math.max(0, files.length - MAX_FILES),
  };
}

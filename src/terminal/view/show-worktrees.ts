/** Directories of worktrees: how many there are, and what only they have. */
import type { WorktreesStatus } from '../../store/views/status-view.ts';
import { type Output, styled } from './output.ts';
import { bytes, counted } from './quantities.ts';

/** A line for each host that has some. */
export function showWorktrees(output: Output, { worktrees }: { readonly worktrees: readonly WorktreesStatus[] }): void {
  for (const each of worktrees)
    output.line(styled('Worktrees ', 'bold'), worktreesText(each), ': animus work worktrees');
}

/** Of one host: `3 kept on HOST, 120 MB; 1 holds what is on no branch`. */
export function worktreesText({ host, kept, open, held, bytes: size, discarding }: WorktreesStatus): string {
  const parts = [
    `${counted(kept, 'kept worktree')}${open > 0 ? ` and ${open} in use` : ''} on ${host}, ${bytes(size)}`,
  ];
  if (held > 0) parts.push(`${held} with something that is not on any branch`);
  if (discarding > 0) parts.push(`${discarding} to be discarded by the daemon there`);
  return parts.join('; ');
}

/** What of a worktree is on no branch: one of the words of `animus.worktrees.holds`, in words for people. */
export function heldText(word: string): string {
  return TEXTS[word] ?? word;
}

const TEXTS: Readonly<Record<string, string>> = {
  uncommitted: 'changes that were not committed (uncommitted)',
  ignored: 'files that .gitignore names (ignored)',
  stash: 'changes that were stashed (stash)',
  submodule: 'changes in a submodule (submodule)',
  embedded: 'a repository inside the directory (embedded)',
  filtered: 'files that a filter such as Git LFS stores elsewhere (filtered)',
  commits: 'commits that are not on any branch (commits)',
  branches: 'branches and tags of its own (branches)',
};

/** Explains what of a worktree is on no branch. */

/** One of the words of `animus.worktrees.holds`, in words for people. */
export function heldText(word: string): string {
  return TEXTS[word] ?? word;
}

const TEXTS: Readonly<Record<string, string>> = {
  uncommitted: 'changes that were not committed (uncommitted)',
  ignored: 'files that .gitignore names (ignored)',
  stash: 'changes that were put away with git stash (stash)',
  submodule: 'changes in a submodule (submodule)',
  embedded: 'a repository inside the directory (embedded)',
  filtered: 'files that a filter such as Git LFS stores elsewhere (filtered)',
  commits: 'commits that are on no branch (commits)',
  branches: 'branches and tags of its own (branches)',
};

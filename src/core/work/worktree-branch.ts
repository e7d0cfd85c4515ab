/**
 * The branch that the foci of an item with `isolation = "worktree"` work on, one after another: `animus/` and the end of the item's
 * id, which is its random part.
 */
export function worktreeBranch(workItemId: string): string {
  return `animus/${workItemId.slice(-12)}`;
}

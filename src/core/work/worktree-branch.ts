/**
 * The branch of all foci of an item with `isolation = "worktree"`: `animus/` and the end of the item's id, which is random.
 */
export function worktreeBranch(workItemId: string): string {
  return `animus/${workItemId.slice(-12)}`;
}

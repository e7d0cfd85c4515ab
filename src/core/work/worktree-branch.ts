/**
 * The branch that a focus with `isolation = "worktree"` works on: `animus/` and the end of the item's id, which is its
 * random part; later foci of the item have their number behind it.
 */
export function worktreeBranch(workItemId: string, focusNumber: number): string {
  const short = workItemId.slice(-12);
  return focusNumber === 1 ? `animus/${short}` : `animus/${short}-${focusNumber}`;
}

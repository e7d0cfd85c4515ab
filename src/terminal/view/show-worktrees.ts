/** How many directories of worktrees there are, in `animus status` and `animus doctor`. */
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
  if (held > 0) parts.push(`${held} with something that is on no branch`);
  if (discarding > 0) parts.push(`${discarding} to be discarded by the daemon there`);
  return parts.join('; ');
}

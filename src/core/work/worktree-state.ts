/** Of a worktree: `open` while work goes on in it, `kept` afterwards; the directory of the others is gone. */
export type WorktreeState = 'open' | 'kept' | 'removed' | 'discarded' | 'lost';

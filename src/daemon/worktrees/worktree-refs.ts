/** The refs that a worktree has in the operator's repository, and the name of its directory. */
import { worktreeBranch } from '../../core/work/worktree-branch.ts';

/** Names of one worktree; `id` is the work item, or the conversation whose answers share it. */
export interface WorktreeNames {
  /** The end of the id: of the directory, and in refs. */
  readonly name: string;
  readonly branch: string;
  /** The commit it began at. Keeps the borrowed objects of its history from being pruned. */
  readonly base: string;
  /** Everything that was handed over is below it: `branch`, `rest`, `other/…`. */
  readonly handed: string;
  /** The commit that the branch was put at last. A branch at another commit was moved by somebody else. */
  readonly placed: string;
  /** The end of each answer of a conversation, below the item of the answer. */
  readonly answers: string;
}

export function worktreeNames(id: string): WorktreeNames {
  const branch = worktreeBranch(id);
  const name = branch.slice('animus/'.length);
  return {
    name,
    branch,
    base: `refs/animus/base/${name}`,
    handed: `refs/animus/handed/${name}/`,
    placed: `refs/animus/placed/${name}`,
    answers: `refs/animus/answers/${name}/`,
  };
}

/** In the private repository: what is to be handed over. */
export const OUT = 'refs/animus/out/';

/** `animus work diff|apply|checkout|discard|worktrees`. Each is loaded when it runs: the other commands of `work` need none of it. */
import type { Command } from 'commander';
import { wholeNumber } from '../../../terminal/command/arguments.ts';
import { addCommand, type RunCommand } from '../../../terminal/command/command.ts';
import type { worktreesCommand as WorktreesCommand } from './list-worktrees.ts';
import type { applyCommand as ApplyCommand } from './work-apply.ts';
import type { checkoutCommand as CheckoutCommand } from './work-checkout.ts';
import type { diffCommand as DiffCommand } from './work-diff.ts';
import type { discardCommand as DiscardCommand } from './work-discard.ts';

/** Adds the commands for what items make in worktrees. */
export function addResultCommands(group: Command, run: RunCommand): void {
  addCommand(group, 'diff <id>', {
    summary: 'show what an item has changed in its worktree, as git diff does',
    examples: [
      'animus work diff 5b1f0c3de2a9',
      'animus work diff 5b1f0c3de2a9 --stat',
      'animus work diff 5b1f0c3de2a9 --tool',
      'animus work diff 5b1f0c3de2a9 --json | jq .files',
    ],
  })
    .option('--stat', 'only the files, and how many lines of each')
    .option('--tool', 'open it in your diff tool (git difftool)')
    .action(
      run(async (...given: Parameters<typeof DiffCommand>) => (await import('./work-diff.ts')).diffCommand(...given)),
    );
  addCommand(group, 'apply <id>', {
    summary: 'apply what an item has changed in its worktree to the checkout that you are in',
    examples: [
      'animus work apply 5b1f0c3de2a9',
      'animus work apply 5b1f0c3de2a9 --squash',
      'animus work apply 5b1f0c3de2a9 --patch --into ../another-repository',
    ],
  })
    .option('--merge', 'merge its branch, as a fast-forward if that is possible (default)')
    .option('--squash', 'stage all of it as one change, for you to commit')
    .option('--cherry-pick', 'put its commits on top of yours, one by one')
    .option('--patch', 'stage it as a patch, in any repository')
    .option('--into <dir>', 'this checkout, instead of the one that you are in')
    .action(
      run(async (...given: Parameters<typeof ApplyCommand>) =>
        (await import('./work-apply.ts')).applyCommand(...given),
      ),
    );
  addCommand(group, 'checkout <id> [dir]', {
    summary: 'check out the result of an item: here, on its branch, or with DIR in a new worktree of the repository',
    arguments: { dir: 'a directory that does not exist yet, or is empty; without it, the checkout that you are in' },
    examples: ['animus work checkout 5b1f0c3de2a9', 'animus work checkout 5b1f0c3de2a9 ../review'],
  }).action(
    run(async (...given: Parameters<typeof CheckoutCommand>) =>
      (await import('./work-checkout.ts')).checkoutCommand(...given),
    ),
  );
  addCommand(group, 'discard <id>', {
    summary: 'remove the directory, the branch and the refs of an ended item; what exists nowhere else is lost',
    examples: ['animus work discard 5b1f0c3de2a9', 'animus work discard 5b1f0c3de2a9 --yes'],
  })
    .option('--yes', 'do not ask')
    .action(
      run(async (...given: Parameters<typeof DiscardCommand>) =>
        (await import('./work-discard.ts')).discardCommand(...given),
      ),
    );
  addCommand(group, 'worktrees', {
    summary: 'list the directories of worktrees, the longest unused first, with their size and what exists only there',
    examples: ['animus work worktrees', 'animus work worktrees --json | jq ".worktrees[].path"'],
  })
    .option('--host <host>', 'only those of this host')
    .option('--limit <n>', 'at most this many', wholeNumber(1, 10_000), 100)
    .action(
      run(async (...given: Parameters<typeof WorktreesCommand>) =>
        (await import('./list-worktrees.ts')).worktreesCommand(...given),
      ),
    );
}

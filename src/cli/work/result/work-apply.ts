/** `animus work apply`: brings what an item has changed into a checkout. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usageError } from '../../../core/errors/errors.ts';
import type { CommonOptions, Invocation } from '../../../terminal/command/command.ts';
import { shellWord } from '../../../terminal/view/copied-command.ts';
import { styled } from '../../../terminal/view/output.ts';
import { counted, shortId } from '../../../terminal/view/quantities.ts';
import { bringCommits, openCheckout, refused, requireClean } from './checkout-here.ts';
import { type FoundResult, findResult } from './find-result.ts';
import { APPLY_MODES, type ApplyMode, type AtCommit, type Prepared, prepareApply } from './prepare-apply.ts';
import { runLastGit } from './user-git.ts';

interface ApplyOptions extends CommonOptions {
  readonly merge?: boolean;
  readonly squash?: boolean;
  readonly cherryPick?: boolean;
  readonly patch?: boolean;
  readonly into?: string;
}

export async function applyCommand(invocation: Invocation, options: ApplyOptions, reference: string): Promise<number> {
  const { output, context } = invocation;
  const mode = modeOf(options);
  const result = await findResult(invocation, reference);
  if (result === null) {
    output.document({ applied: false });
    output.note('it changed nothing, so there is nothing to apply');
    return 0;
  }
  const { item } = result;
  const checkout = await openCheckout(invocation, options.into ?? '.', result);
  const { git, head } = checkout;
  await requireClean(checkout);
  if (mode !== 'patch') await bringCommits(checkout, result);
  if (head === null)
    throw refused(
      `${git.directory} has no commit yet; make one first, or use: animus work checkout ${shortId(item.work_item_id)} DIR`,
    );
  const target: AtCommit = { ...checkout, head };
  const prepared = await prepareApply(mode, target, result);
  if (prepared !== null) {
    await change(target, prepared, result);
    // What was interrupted too late is done, and its result is what counts.
    context.signals.endedAsAsked();
  }
  if (item.ended_at === null) output.note(`the work is ${item.item_state}: this is what it has handed over so far`);
  output.document(documentOf(mode, target, prepared, result));
  tell(invocation, target, prepared, result);
  return 0;
}

function modeOf({ merge, squash, cherryPick, patch }: ApplyOptions): ApplyMode {
  const given = { merge, squash, 'cherry-pick': cherryPick, patch };
  const modes = APPLY_MODES.filter((mode) => given[mode] === true);
  if (modes.length > 1) throw usageError(`give one of ${modes.map((mode) => `--${mode}`).join(' and ')}`);
  return modes[0] ?? 'merge';
}

/** The only step that changes the checkout: one git, which refuses before it begins, or does all of it. */
async function change(
  { git, gitDir, head }: AtCommit,
  prepared: Exclude<Prepared, null>,
  { branch }: FoundResult,
): Promise<void> {
  if ('commit' in prepared) {
    const variables = { GIT_REFLOG_ACTION: `animus work apply ${branch}` };
    const plain = ['-c', 'merge.autoStash=false', '-c', 'merge.verifySignatures=false'];
    await runLastGit(git, [...plain, 'merge', '--ff-only', '--quiet', '--no-stat', prepared.commit], variables);
    return;
  }
  await runLastGit(git, ['read-tree', '-m', '-u', head, prepared.tree]);
  // What `git commit` proposes as its message, as after `git merge --squash`.
  writeFileSync(join(gitDir, 'SQUASH_MSG'), prepared.message);
}

function documentOf(
  mode: ApplyMode,
  { git, branch, head }: AtCommit,
  prepared: Prepared,
  { item, ...result }: FoundResult,
) {
  return {
    work_item_id: item.work_item_id,
    applied: prepared !== null,
    mode,
    into: git.directory,
    branch,
    from: result.branch,
    before: head,
    commit: prepared !== null && 'commit' in prepared ? prepared.commit : null,
    how: prepared === null ? null : 'commit' in prepared ? prepared.how : 'staged',
  };
}

function tell(
  { output }: Invocation,
  { git, branch, head }: AtCommit,
  prepared: Prepared,
  { item, rest }: FoundResult,
): void {
  const id = shortId(item.work_item_id);
  const where = `${branch ?? 'a detached HEAD'} in ${git.directory}`;
  if (prepared === null) {
    output.note(`${where} has everything of it already; nothing was changed`);
    return;
  }
  if ('commit' in prepared) {
    const left = rest === null ? '' : ', the last one with what was left uncommitted';
    output.line(
      styled('applied', 'green'),
      `  ${counted(prepared.commits, 'commit')}${left}: ${where} (${prepared.how})`,
    );
    output.copyable(`  look:     git -C ${shellWord(git.directory)} log -p ${head.slice(0, 12)}..`);
    output.copyable(`  undo:     git -C ${shellWord(git.directory)} reset --keep ${head.slice(0, 12)}`);
  } else {
    output.line(styled('staged', 'green'), `  everything that it changed: ${where}`);
    output.copyable(`  look:     git -C ${shellWord(git.directory)} diff --cached`);
    output.copyable(`  next:     git -C ${shellWord(git.directory)} commit`);
    output.copyable(`  undo:     git -C ${shellWord(git.directory)} reset --hard`);
  }
  output.command('  clean up: ', `work discard ${id}`);
}

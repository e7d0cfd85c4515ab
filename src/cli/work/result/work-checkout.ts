/** `animus work checkout`: a checkout of what an item has made, for a person. */
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommonOptions, Invocation } from '../../../terminal/command/command.ts';
import { shellWord } from '../../../terminal/view/copied-command.ts';
import { styled } from '../../../terminal/view/output.ts';
import { shortId } from '../../../terminal/view/quantities.ts';
import { bringCommits, type Checkout, openCheckout, refused, requireClean } from './checkout-here.ts';
import { commitsHere, gitIn } from './commits-here.ts';
import { type FoundResult, findResult } from './find-result.ts';
import { runGit, runLastGit, type UserGit } from './user-git.ts';

export async function checkoutCommand(
  invocation: Invocation,
  _options: CommonOptions,
  reference: string,
  directory: string | undefined,
): Promise<number> {
  const { output, context } = invocation;
  const result = await findResult(invocation, reference);
  if (result === null) {
    output.document({ checked_out: false });
    output.note('it changed nothing, so there is nothing to check out');
    return 0;
  }
  const place =
    directory === undefined ? await switchHere(invocation, result) : await addWorktree(invocation, result, directory);
  const rest = await putRest(place, result);
  context.signals.endedAsAsked();
  const { item, branch, tip } = result;
  output.document({
    work_item_id: item.work_item_id,
    checked_out: true,
    directory: place.git.directory,
    branch: place.branch,
    commit: tip,
    rest,
  });
  output.line(
    styled('checked out', 'green'),
    `  ${place.branch ?? `${tip.slice(0, 12)} (detached)`} in ${place.git.directory}`,
  );
  if (rest === 'put') output.line('  what was left uncommitted is there as uncommitted changes');
  if (rest === 'left out')
    output.note(
      `${branch} has moved since: what was left uncommitted is not put on top of it; see it with: git show ${result.rest}`,
    );
  if (directory !== undefined) output.copyable(`  clean up: git worktree remove ${shellWord(place.git.directory)}`);
  else if (place.before !== null) output.copyable(`  back:     git switch ${shellWord(place.before)}`);
  const id = shortId(item.work_item_id);
  output.command('  more:     ', `work diff ${id}`);
  return 0;
}

/** Where the result is checked out. */
interface CheckedOut {
  readonly git: UserGit;
  /** Null: the branch is gone from the repository, and HEAD is detached. */
  readonly branch: string | null;
  /** The branch that was checked out there. */
  readonly before: string | null;
}

/** As `gh pr checkout` does. Errors: `worktree.refused` for a dirty checkout, and another repository. */
async function switchHere(invocation: Invocation, result: FoundResult): Promise<CheckedOut> {
  const checkout = await openCheckout(invocation, '.', result);
  const { git } = checkout;
  await requireClean(checkout);
  await bringCommits(checkout, result);
  const made = await branchOrCommit(checkout, result);
  const plain = ['checkout', '--quiet', '--no-recurse-submodules'];
  if (made.branch === null) await runLastGit(git, [...plain, '--detach', result.tip, '--']);
  else await runLastGit(git, [...plain, ...(made.isNew ? ['-b', made.branch, result.tip] : [made.branch]), '--']);
  return { git, branch: made.branch, before: checkout.branch };
}

/** In the repository where one stands, if it has the commits or can have them; else in the item's own. */
async function addWorktree(invocation: Invocation, result: FoundResult, directory: string): Promise<CheckedOut> {
  const place = resolve(invocation.context.cwd, directory);
  if (existsSync(place) && readdirSync(place).length > 0)
    throw refused(`${place} exists and is not empty; name a new directory`);
  let from = await commitsHere(invocation, result);
  if (from === null) {
    const checkout = await openCheckout(invocation, '.', result);
    await bringCommits(checkout, result);
    from = checkout.git;
  }
  const made = await branchOrCommit({ git: from }, result);
  const args = ['worktree', 'add', '--quiet'];
  if (made.branch === null) await runLastGit(from, [...args, '--detach', '--', place, result.tip]);
  else if (made.isNew) await runLastGit(from, [...args, '-b', made.branch, '--', place, result.tip]);
  else await runLastGit(from, [...args, '--', place, made.branch]);
  return { git: gitIn(invocation, place), branch: made.branch, before: null };
}

/**
 * The branch of the result, in a clone a new one. Without the branch in the item's own repository, a person has deleted it, and it is not made again.
 */
async function branchOrCommit(
  { git, commonDir }: { readonly git: UserGit } & Partial<Pick<Checkout, 'commonDir'>>,
  { branch, item }: FoundResult,
): Promise<{ readonly branch: string | null; readonly isNew: boolean }> {
  const found = await runGit(git, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
  if (found.code === 0) return { branch, isNew: false };
  const isOwn = item.repo !== null && (commonDir === item.repo || git.directory === item.repo);
  return isOwn ? { branch: null, isNew: false } : { branch, isNew: true };
}

/** Puts what was left uncommitted into the files of a checkout that is at the tip, as the agent left it. */
async function putRest({ git }: CheckedOut, { tip, rest }: FoundResult): Promise<'none' | 'put' | 'left out'> {
  if (rest === null) return 'none';
  const head = await runGit(git, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (head.stdout.toString().trim() !== tip) return 'left out';
  await runLastGit(git, ['restore', `--source=${rest}`, '--worktree', '--no-overlay', '--', ':/']);
  return 'put';
}

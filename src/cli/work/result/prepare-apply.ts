/** Computes what applying a result does to a checkout, as objects of its repository. Nothing that anybody sees is changed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shortId } from '../../../terminal/view/quantities.ts';
import { type Checkout, refused } from './checkout-here.ts';
import { PLAIN_DIFF } from './commits-here.ts';
import type { FoundResult } from './find-result.ts';
import { type CommitText, commitOf, conflict, isAncestor, mergedTree, textOf, treeOf } from './merge-objects.ts';
import { gitError, readGit, runGit, type UserGit } from './user-git.ts';

/** How a result gets into a checkout. */
export const APPLY_MODES = ['merge', 'squash', 'cherry-pick', 'patch'] as const;
export type ApplyMode = (typeof APPLY_MODES)[number];

/** What the checkout gets: a commit to move its branch to, or a tree to stage. Null: it has everything already. */
export type Prepared =
  | { readonly commit: string; readonly how: 'fast-forward' | 'merge commit' | 'commits'; readonly commits: number }
  | { readonly tree: string; readonly message: string }
  | null;

/** A checkout on a commit. */
export type AtCommit = Checkout & { readonly head: string };

/** Errors: `worktree.conflict`, `worktree.refused`, `worktree.git`, `interrupted`. */
export async function prepareApply(mode: ApplyMode, checkout: AtCommit, result: FoundResult): Promise<Prepared> {
  switch (mode) {
    case 'merge':
      return prepareMerge(checkout, result);
    case 'squash':
      return prepareSquash(checkout, result);
    case 'cherry-pick':
      return preparePicks(checkout, result);
    case 'patch':
      return preparePatch(checkout, result);
    default:
      return mode satisfies never;
  }
}

async function prepareMerge({ git, head }: AtCommit, result: FoundResult): Promise<Prepared> {
  const { tip, rest, branch } = result;
  if (rest === null && (await isAncestor(git, tip, head))) return null;
  const end = rest === null ? tip : await restCommit(git, result, tip);
  if (await isAncestor(git, head, end)) {
    return { commit: end, how: 'fast-forward', commits: await countBetween(git, head, end) };
  }
  const tree = await mergedTree(git, head, end, branch);
  if (tree === (await treeOf(git, head))) return null;
  const message = `Merge branch '${branch}'\n\n${summaryOf(result)}\n`;
  const commit = await commitOf(git, tree, [head, end], { message, author: null });
  return { commit, how: 'merge commit', commits: await countBetween(git, head, end) };
}

async function prepareSquash({ git, head }: AtCommit, result: FoundResult): Promise<Prepared> {
  const tree = await mergedTree(git, head, result.end, result.branch);
  return tree === (await treeOf(git, head)) ? null : { tree, message: await wholeMessage(git, result) };
}

/** Each commit on top of the one before; one that changes nothing here is left out. */
async function preparePicks({ git, head }: AtCommit, result: FoundResult): Promise<Prepared> {
  const { start, tip, rest, branch } = result;
  const merges = await readGit(git, ['rev-list', '--merges', '--max-count=1', `${start}..${tip}`, '--']);
  if (merges !== '')
    throw refused(`${branch} contains merges, which cannot be picked one by one; use --merge or --squash`);
  const listed = await readGit(git, ['rev-list', '--reverse', `${start}..${tip}`, '--']);
  let commit = head;
  let commits = 0;
  const pick = async (picked: string, text: CommitText) => {
    const parent = await readGit(git, ['rev-parse', '--verify', `${picked}^`]);
    // A merge takes the common ancestor as its base: this one is the parent of what is picked.
    const ours = await readGit(
      git,
      ['commit-tree', '-p', parent, '-m', 'base of a pick', await treeOf(git, commit)],
      OURS,
    );
    const tree = await mergedTree(git, ours, picked, `commit ${picked.slice(0, 12)} of ${branch}`);
    if (tree === (await treeOf(git, commit))) return;
    commit = await commitOf(git, tree, [commit], text);
    commits += 1;
  };
  for (const picked of listed.split('\n').filter(Boolean)) await pick(picked, await textOf(git, picked));
  if (rest !== null) await pick(rest, await restText(git, result, rest));
  return commits === 0 ? null : { commit, how: 'commits', commits };
}

const OURS = {
  variables: {
    GIT_AUTHOR_NAME: 'animus',
    GIT_AUTHOR_EMAIL: 'animus@localhost',
    GIT_COMMITTER_NAME: 'animus',
    GIT_COMMITTER_EMAIL: 'animus@localhost',
  },
};

/** In an index of its own: `git apply` would leave marks of a conflict in the checkout. */
async function preparePatch({ git, head }: AtCommit, result: FoundResult): Promise<Prepared> {
  const scratch = mkdtempSync(join(tmpdir(), 'animus-apply-'));
  try {
    const file = join(scratch, 'patch');
    const variables = { GIT_INDEX_FILE: join(scratch, 'index') };
    await writePatch(git, result, file);
    await readGit(git, ['read-tree', head], { variables });
    const args = ['apply', '--3way', '--cached', '--whitespace=nowarn', '--', file];
    const { code, stderr } = await runGit(git, args, { variables });
    const unmerged = await readGit(git, ['ls-files', '--unmerged', '-z'], { variables });
    const files = unmerged.split('\0').flatMap((line) => /^\d+ \S+ \d\t(.*)$/s.exec(line)?.[1] ?? []);
    const failed = [
      ...stderr.matchAll(
        /^error: (?:patch failed: )?(.+?)(?::\d+)?: ?(?:patch does not apply|does not exist in index|already exists.*)?$/gm,
      ),
    ];
    if (files.length > 0) throw conflict('the patch', files);
    if (code !== 0 && failed.length > 0)
      throw conflict(
        'the patch',
        failed.map(([, name = '']) => name),
      );
    if (code !== 0) throw gitError(git, args, stderr);
    const tree = await readGit(git, ['write-tree'], { variables });
    return tree === (await treeOf(git, head)) ? null : { tree, message: `${summaryOf(result)}\n` };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The stored patch, or one made from the commits, if they are here and it was too large to be stored. */
async function writePatch(git: UserGit, { patch, start, end, item }: FoundResult, file: string): Promise<void> {
  if (patch !== null) return writeFileSync(file, patch);
  const made = await runGit(git, [...PLAIN_DIFF, '--binary', '--full-index', `--output=${file}`, start, end, '--']);
  if (made.code === 0) return;
  const id = shortId(item.work_item_id);
  throw refused(
    `the patch of work item ${id} is too large to be stored, and its commits are not here; run this in its repository${item.repo === null ? '' : ` (${item.repo})`} or in a clone that has them`,
  );
}

/** What was left uncommitted, as one commit with the outcome's summary. */
async function restCommit(git: UserGit, result: FoundResult, parent: string): Promise<string> {
  const { rest } = result;
  if (rest === null) return parent;
  return commitOf(git, await treeOf(git, rest), [parent], await restText(git, result, rest));
}

/** By the author of the commit that was handed over, and with its trailers. */
async function restText(git: UserGit, result: FoundResult, rest: string): Promise<CommitText> {
  const { author } = await textOf(git, rest);
  const trailers = await readGit(git, [
    '-c',
    'log.showSignature=false',
    'show',
    '--no-patch',
    '--format=%(trailers:only,unfold)',
    rest,
    '--',
  ]);
  return { author, message: `${summaryOf(result)}\n${trailers.trim() === '' ? '' : `\n${trailers.trim()}\n`}` };
}

/** For a person to edit: the summary, and the messages of the commits. */
async function wholeMessage(git: UserGit, result: FoundResult): Promise<string> {
  const subjects = await readGit(git, [
    '-c',
    'log.showSignature=false',
    'log',
    '--reverse',
    '--format=* %s',
    `${result.start}..${result.tip}`,
    '--',
  ]);
  return `${summaryOf(result)}\n${subjects === '' ? '' : `\n${subjects}\n`}`;
}

/** How the item ended, in lines that no program takes for a comment or a trailer. */
function summaryOf({ item, branch }: FoundResult): string {
  const text = item.summary?.trim() ?? '';
  return text === '' ? `Changes of ${branch}` : text;
}

async function countBetween(git: UserGit, older: string, newer: string): Promise<number> {
  return Number(await readGit(git, ['rev-list', '--count', `${older}..${newer}`, '--']));
}

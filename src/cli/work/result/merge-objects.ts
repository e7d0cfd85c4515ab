/** Merges commits as objects: nothing of it is in the checkout, so an interruption or a conflict leaves nothing behind. */
import { AnimusError } from '../../../core/errors/errors.ts';
import { someOf } from './checkout-here.ts';
import { gitError, readGit, runGit, type UserGit } from './user-git.ts';

/**
 * The tree of a merge of two commits, by the user's merge drivers and attributes. Errors: `worktree.conflict`, which names the files; `worktree.refused`
 * for a git that cannot do it; `worktree.git`.
 */
export async function mergedTree(git: UserGit, ours: string, theirs: string, what: string): Promise<string> {
  await requireMergeTree(git);
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const { code, stdout, stderr } = await runGit(git, args);
  const [tree = '', ...files] = stdout.toString().split('\0').filter(Boolean);
  if (code === 0) return tree;
  if (code !== 1 || files.length === 0) throw gitError(git, args, stderr);
  throw conflict(what, files);
}

/** Since 2.38 git can merge without a checkout. */
async function requireMergeTree(git: UserGit): Promise<void> {
  const version = await readGit(git, ['version']);
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38)) return;
  const detail = `this is ${version}, and the branches have diverged: merging them without touching the checkout needs git 2.38 or later; use --patch, or git merge`;
  throw new AnimusError('worktree.refused', { detail });
}

/** Nothing was changed. */
export function conflict(what: string, files: readonly string[]): AnimusError {
  return new AnimusError('worktree.conflict', { what, files: someOf([...new Set(files)]) });
}

/** Who wrote a commit, and its message. */
export interface CommitText {
  readonly message: string;
  /** Null: the user. */
  readonly author: { readonly name: string; readonly email: string; readonly date: string } | null;
}

/** Makes a commit as the user's git would: as its user, and signed if commits are. Errors: `worktree.git`. */
export async function commitOf(
  git: UserGit,
  tree: string,
  parents: readonly string[],
  { message, author }: CommitText,
): Promise<string> {
  const signs = await runGit(git, ['config', '--type=bool', '--get', 'commit.gpgSign']);
  const sign = signs.stdout.toString().trim() === 'true' ? ['-S'] : [];
  const variables: Record<string, string> =
    author === null
      ? {}
      : { GIT_AUTHOR_NAME: author.name, GIT_AUTHOR_EMAIL: author.email, GIT_AUTHOR_DATE: author.date };
  const args = ['commit-tree', ...sign, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree];
  return readGit(git, args, { stdin: message, variables });
}

/** The author and message of a commit. */
export async function textOf(git: UserGit, commit: string): Promise<CommitText> {
  const shown = await readGit(git, [
    '-c',
    'log.showSignature=false',
    'show',
    '--no-patch',
    '--no-show-signature',
    '--date=raw',
    '--format=%an%x00%ae%x00%ad%x00%B',
    commit,
    '--',
  ]);
  const [name = '', email = '', date = '', message = ''] = shown.split('\0');
  return { message, author: { name, email, date } };
}

export async function treeOf(git: UserGit, commit: string): Promise<string> {
  return readGit(git, ['rev-parse', '--verify', `${commit}^{tree}`]);
}

export async function isAncestor(git: UserGit, older: string, newer: string): Promise<boolean> {
  return (await runGit(git, ['merge-base', '--is-ancestor', older, newer])).code === 0;
}

/** The checkout of a person that gets a result. */
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AnimusError } from '../../../core/errors/errors.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { counted, shortId } from '../../../terminal/view/quantities.ts';
import { gitIn, hasCommits, isAgents } from './commits-here.ts';
import type { FoundResult } from './find-result.ts';
import { readGit, runGit, type UserGit } from './user-git.ts';

/** A checkout, and what it is on. */
export interface Checkout {
  /** Works in its root. */
  readonly git: UserGit;
  readonly gitDir: string;
  /** The repository's, by real path: other than `gitDir` in a linked worktree. */
  readonly commonDir: string;
  /** The commit; null: none yet. */
  readonly head: string | null;
  /** Null: a detached HEAD. */
  readonly branch: string | null;
}

/** The checkout that contains a directory. Errors: `worktree.refused` for one of an agent, and where there is none. */
export async function openCheckout(invocation: Invocation, directory: string, result: FoundResult): Promise<Checkout> {
  const { cwd } = invocation.context;
  const place = resolve(cwd, directory);
  if (await isAgents(invocation, place, result)) {
    throw refused(
      `${place} is a directory of animus in which an agent works, and git is never run there; go to your own repository, or name it with --into DIR`,
    );
  }
  const found = gitIn(invocation, place);
  const { code, stdout, stderr } = await runGit(found, ['rev-parse', '--show-toplevel']);
  if (code !== 0) {
    const why = /must be run in a work tree/.test(stderr)
      ? 'is a repository without a checkout'
      : 'is not in a git repository';
    const owned = /dubious ownership/.test(stderr) ? `: ${stderr.trim()}` : '';
    throw refused(`${place} ${why}${owned}; go to a checkout, or name it with --into DIR`);
  }
  const git = gitIn(invocation, stdout.toString().replace(/\n$/, ''));
  const gitDir = await readGit(git, ['rev-parse', '--absolute-git-dir']);
  const common = await readGit(git, ['rev-parse', '--git-common-dir']);
  const head = await runGit(git, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  const branch = await runGit(git, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  return {
    git,
    gitDir,
    commonDir: realpathSync(resolve(git.directory, common)),
    head: head.code === 0 ? head.stdout.toString().trim() : null,
    branch: branch.code === 0 ? branch.stdout.toString().trim() : null,
  };
}

/** Errors: `worktree.refused` while the checkout has uncommitted changes, or a merge or the like that was not finished. */
export async function requireClean({ git, gitDir }: Checkout): Promise<void> {
  const begun = Object.entries(UNFINISHED).find(([file]) => existsSync(join(gitDir, file)));
  if (begun !== undefined) {
    throw refused(
      `${git.directory} is in the middle of a ${begun[1]}; finish it or abort it (git status says how), then try again`,
    );
  }
  // Untracked files are no obstacle, unless one of them would be overwritten: git refuses that by itself.
  const listed = await readGit(git, ['status', '--porcelain=v1', '-z', '--untracked-files=no', '--no-renames']);
  const files = listed
    .split('\0')
    .filter(Boolean)
    .map((entry) => entry.slice(3));
  if (files.length === 0) return;
  throw refused(
    `${git.directory} has uncommitted changes in ${counted(files.length, 'file')}: ${someOf(files)}; commit or stash them, then try again`,
  );
}

const UNFINISHED: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
};

/**
 * Makes sure that the repository of a checkout has the commits of a result: fetches them where the item's repository is on this machine. No ref is
 * written. Errors: `worktree.refused` for a repository that has nothing to do with the item, or where the commits cannot be had.
 */
export async function bringCommits(checkout: Checkout, result: FoundResult): Promise<void> {
  const { git, commonDir } = checkout;
  if (await hasCommits(git, result)) return;
  const { item, start, tip, rest } = result;
  const id = shortId(item.work_item_id);
  const isOwn = item.repo !== null && existsSync(item.repo) && realpathSync(item.repo) === commonDir;
  if (isOwn) {
    throw refused(
      `the commits of work item ${id} are no longer in ${commonDir}; apply what is stored: animus work apply ${id} --patch`,
    );
  }
  const shares = await runGit(git, ['cat-file', '-e', `${start}^{commit}`]);
  if (shares.code !== 0) {
    const whose = item.repo === null ? '' : ` (${item.repo})`;
    throw refused(
      `${git.directory} is not the repository of work item ${id}${whose}, and does not have the commit that it started from (${start.slice(0, 12)}); go to that repository or a clone of it, update the clone, or use: animus work apply ${id} --patch`,
    );
  }
  if (item.repo === null || !existsSync(item.repo)) {
    throw refused(
      `the repository of work item ${id} is not on this machine, and this one does not have its commits; fetch ${result.branch} from there, or use: animus work apply ${id} --patch`,
    );
  }
  const commits = rest === null ? [tip] : [tip, rest];
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--'];
  await readGit(git, ['-c', 'protocol.version=2', ...fetch, item.repo, ...commits]);
}

/** The first ten of them. */
export function someOf(files: readonly string[]): string {
  const more = files.length > 10 ? `, and ${files.length - 10} more` : '';
  return `${files.slice(0, 10).join(', ')}${more}`;
}

export function refused(detail: string): AnimusError {
  return new AnimusError('worktree.refused', { detail });
}

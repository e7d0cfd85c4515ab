/** Finds a repository on this machine that has the commits of a result. */
import { existsSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { ChangedFile } from '../../../core/text/patch-files.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import type { FoundResult } from './find-result.ts';
import { readGit, runGit, type UserGit } from './user-git.ts';

/** The repository where one stands, or else the one that the item worked for; null: neither has the commits, or is on this machine. */
export async function commitsHere(invocation: Invocation, result: FoundResult): Promise<UserGit | null> {
  const { cwd } = invocation.context;
  const { repo } = result.item;
  if (!(await isAgents(invocation, cwd, result))) {
    const here = gitIn(invocation, cwd);
    if (await hasCommits(here, result)) return here;
  }
  if (repo === null || !existsSync(repo)) return null;
  const there = gitIn(invocation, repo);
  return (await hasCommits(there, result)) ? there : null;
}

/** Git in this directory, as the user. */
export function gitIn({ context }: Invocation, directory: string): UserGit {
  return { directory, env: context.env, signal: context.signals.drain };
}

/** Whether a repository has these commits with all their history. */
export async function hasCommits(git: UserGit, { start, tip, end }: FoundResult): Promise<boolean> {
  const stdin = [start, tip, end].map((commit) => `${commit}^{commit}\n`).join('');
  const { code, stdout } = await runGit(git, ['cat-file', '--batch-check'], { stdin });
  return code === 0 && !/missing|ambiguous/.test(stdout.toString());
}

/** Whether an agent could have written the configuration that git would read in a directory: then git would run programs of its choice. */
export async function isAgents(
  { reach }: Invocation,
  directory: string,
  { item }: Pick<FoundResult, 'item'>,
): Promise<boolean> {
  const { home } = await reach();
  const roots = [join(home, 'worktrees'), join(home, 'foci'), ...(item.path === null ? [] : [item.path])];
  const real = realPath(directory);
  return roots.map(realPath).some((root) => real === root || real.startsWith(root + sep));
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** The trees of two commits, compared without any setting or program of the user that would change the form: for `git apply`, not for people. */
export const PLAIN_DIFF = [
  '-c',
  'diff.noprefix=false',
  '-c',
  'diff.mnemonicPrefix=false',
  '-c',
  'diff.relative=false',
  '-c',
  'core.quotePath=true',
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--ignore-submodules=none',
];

/** The files between two commits, in the order of git. */
export async function changedFiles(
  git: UserGit,
  { start, end }: Pick<FoundResult, 'start' | 'end'>,
): Promise<ChangedFile[]> {
  const listed = await readGit(git, [...PLAIN_DIFF, '--no-renames', '--numstat', '-z', start, end, '--']);
  return listed.split('\0').flatMap((line) => {
    const [, added = '', removed = '', path] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(line) ?? [];
    return path === undefined ? [] : [{ path, added: countOf(added), removed: countOf(removed) }];
  });
}

function countOf(text: string): number | null {
  return text === '-' ? null : Number(text);
}

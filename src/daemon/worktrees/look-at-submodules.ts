/**
 * What an agent did inside submodules. Each is a repository of its own, with a configuration that the agent may have written, so git runs in it by its
 * directories and with its programs switched off.
 */
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isAnimusError } from '../../core/errors/errors.ts';
import { isWithin } from '../../process/file-rules.ts';
import type { GitPlace, GitWriter } from '../git/git.ts';
import { filtersOff, readSettings } from '../git/programs-off.ts';
import { readPointer } from '../git/repository.ts';
import { readGit } from '../git/repository-writes.ts';
import { isPlainDirectory } from './worktrees-root.ts';

/** What is only in the directories of the submodules. */
export interface SubmoduleWork {
  /** Changed and new files, relative to the checkout. */
  readonly files: readonly string[];
  /** Submodules with commits or stashes that no remote branch of theirs has, with ignored files, or that cannot be looked at. */
  readonly more: readonly string[];
}

/** Submodules in submodules in …; deeper ones count as work that cannot be looked at. */
const MAX_DEPTH = 5;

/** Nothing where the repository has no submodules. Errors: `worktree.failed`. */
export async function lookAtSubmodules(place: GitPlace, git: GitWriter, depth = 0): Promise<SubmoduleWork> {
  const { gitDir, workTree } = place;
  if (!existsSync(join(workTree!, '.gitmodules')) && !existsSync(join(gitDir, 'modules')))
    return { files: [], more: [] };
  const staged = await readGit(place, ['ls-files', '--stage', '-z'], git);
  const paths = staged
    .split('\0')
    .filter((entry) => entry.startsWith('160000 '))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1));
  const work: { files: string[]; more: string[] } = { files: [], more: [] };
  for (const path of paths) {
    const found = await lookAtOne(join(workTree!, path), gitDir, git, depth);
    work.files.push(...found.files.map((file) => join(path, file)));
    work.more.push(...found.more.map((name) => join(path, name)));
  }
  return work;
}

async function lookAtOne(directory: string, gitDir: string, git: GitWriter, depth: number): Promise<SubmoduleWork> {
  const dotGit = join(directory, '.git');
  // Not checked out: nobody can have worked in it.
  if (!existsSync(dotGit)) return { files: [], more: [] };
  if (depth >= MAX_DEPTH) return { files: [], more: [''] };
  try {
    const own = isPlainDirectory(dotGit) ? dotGit : resolve(directory, readPointer(dotGit).replace(/^gitdir: /, ''));
    // Elsewhere it is not the agent's to look at.
    if (!isWithin(realpathSync(gitDir), realpathSync(own)) && own !== dotGit) return { files: [], more: [''] };
    return await lookInside({ gitDir: own, commonDir: own, workTree: directory, off: [] }, git, depth);
  } catch (error) {
    // Whatever it is, it cannot be shown to be empty of work.
    if (isAnimusError(error, 'process.interrupted')) throw error;
    return { files: [], more: [''] };
  }
}

async function lookInside(bare: GitPlace, git: GitWriter, depth: number): Promise<SubmoduleWork> {
  const place = { ...bare, off: filtersOff(await readSettings(bare, git)).off };
  const all = ['--untracked-files=all', '--ignored=matching', '--ignore-submodules=dirty', '--no-renames'];
  const entries = (await readGit(place, ['status', '--porcelain', '-z', ...all], git)).split('\0').filter(Boolean);
  const files = entries.filter((entry) => !entry.startsWith('!! '));
  // Stashes and dropped commits, too; in a repository without a commit, none.
  const own = ['rev-list', '--count', '--all', '--reflog', '--not', '--remotes'];
  const count = Number(await readGit(place, own, git));
  const below = await lookAtSubmodules(place, git, depth + 1);
  return {
    files: [...files.map((entry) => entry.slice(3)), ...below.files],
    more: [...(count > 0 || files.length < entries.length ? [''] : []), ...below.more],
  };
}

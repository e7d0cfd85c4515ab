/** Finds the parts of a repository without running git, because git would trust any file it meets. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileFault } from '../../core/errors/errors.ts';
import { readRegularFile } from '../../core/files/regular-file.ts';

/** The parts of a repository, by real path. */
export interface Repository {
  /** As configured by the operator. */
  readonly repo: string;
  readonly gitDir: string;
  /** Where objects, refs and configuration are; the same as `gitDir` unless the repository is itself a linked worktree. */
  readonly commonDir: string;
  /** Its checkout; null for a bare repository. */
  readonly workTree: string | null;
}

/** Files that name directories have one line. */
const MAX_POINTER_BYTES = 8192;

/** Git would obey the configuration in any directory that this file names. */
const FORGED =
  'its git directory contains a file named commondir, which only linked worktrees have; inspect it and remove it';

/** The repository at this path, never in a parent directory; otherwise the reason why there is none. */
export function findRepository(repo: string): Repository | { readonly problem: string } {
  if (!existsSync(repo)) return { problem: 'it does not exist' };
  try {
    const root = realpathSync(repo);
    const dotGit = join(root, '.git');
    const kind = statSync(dotGit, { throwIfNoEntry: false });
    const gitDir = realpathSync(!kind ? root : kind.isDirectory() ? dotGit : linkedGitDir(root));
    const commonDir = kind?.isFile() ? commonDirOf(gitDir) : gitDir;
    if (commonDir === gitDir && existsSync(join(gitDir, 'commondir'))) return { problem: FORGED };
    const isRepository = existsSync(join(gitDir, 'HEAD')) && existsSync(join(commonDir, 'objects'));
    if (!isRepository) return { problem: 'it is not a git repository' };
    return { repo, gitDir, commonDir, workTree: kind ? root : null };
  } catch (error) {
    return { problem: `it cannot be read as a git repository: ${fileFault(error)}` };
  }
}

/** In a submodule or a linked worktree, `.git` is a file that names the directory. */
function linkedGitDir(root: string): string {
  const pointer = readPointer(join(root, '.git'));
  if (!pointer.startsWith('gitdir: ')) throw new Error('its .git is not a file that git wrote');
  return resolve(root, pointer.slice('gitdir: '.length));
}

function commonDirOf(gitDir: string): string {
  const file = join(gitDir, 'commondir');
  return existsSync(file) ? realpathSync(resolve(gitDir, readPointer(file))) : gitDir;
}

/** The single line of a file in which git names a directory. Throws when it is something else; does not follow symlinks. */
export function readPointer(file: string): string {
  return readRegularFile(file, { maxBytes: MAX_POINTER_BYTES, followLink: false })
    .toString('utf8')
    .replace(/[\r\n]+$/, '');
}

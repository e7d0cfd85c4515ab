/**
 * The rules for a focus in a worktree, for the repository of that worktree. A commit needs objects, refs, logs and the worktree's
 * own entry. Everything else is read-only: git reads configuration from it, runs programs from it, or trusts it.
 */
import { chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../core/files/regular-file.ts';
import type { FileRule } from '../../process/file-rules.ts';
import type { Repository } from './repository.ts';

/**
 * What a command may write directly in the common directory: packed refs and their lock, the pid file of `gc`, and `lfs`, which
 * stores contents by their hashes. Everything else that exists when the focus begins is read-only.
 */
const WRITABLE = new Set(['objects', 'refs', 'logs', 'lfs', 'packed-refs', 'packed-refs.lock', 'gc.pid', 'gc.log']);
/** Files that git obeys as soon as they exist. They must exist before a command could create them. */
const DIRECTORIES = ['hooks', 'info', 'modules'];

/** The rules for commands and file tools of the focus whose worktree is at `path` and has the entry `entry`. */
export function repositoryRules(repository: Repository, entry: string, path: string): readonly FileRule[] {
  const { commonDir, gitDir, workTree } = repository;
  makePlaceholders(commonDir, entry);
  const obeyed = readdirSync(commonDir).filter((name) => !WRITABLE.has(name) && !name.endsWith('.lock'));
  const read = [
    ...(workTree === null ? [] : [workTree]),
    ...(gitDir === commonDir ? [] : [gitDir]),
    ...obeyed.map((name) => join(commonDir, name)),
    ...['alternates', 'http-alternates'].map((name) => join(commonDir, 'objects', 'info', name)),
    ...['commondir', 'gitdir', 'config.worktree'].map((name) => join(entry, name)),
    join(path, '.git'),
  ];
  return [
    ...read.filter((each) => existsSync(each)).map((each): FileRule => ({ path: each, access: 'read' })),
    ...[commonDir, entry, path].map((each): FileRule => ({ path: each, access: 'all' })),
  ];
}

/** Empty files change nothing for git. Where they cannot be created, commands of this user cannot create them either. */
function makePlaceholders(commonDir: string, entry: string): void {
  for (const name of DIRECTORIES) unlessRefused(() => makeDirectory(commonDir, name));
  if (hasWorktreeConfig(commonDir))
    for (const directory of [commonDir, entry]) unlessRefused(() => makeFile(directory, 'config.worktree'));
}

/** Only when git would read it; finding the word in the configuration is enough. */
function hasWorktreeConfig(commonDir: string): boolean {
  const config = join(commonDir, 'config');
  return existsSync(config) && /worktreeconfig|\[\s*include/i.test(readRegularFile(config).toString('latin1'));
}

function makeDirectory(parent: string, name: string): void {
  if (existsSync(join(parent, name))) return;
  mkdirSync(join(parent, name));
  giveTo(parent, join(parent, name));
}

function makeFile(parent: string, name: string): void {
  if (existsSync(join(parent, name))) return;
  writeFileSync(join(parent, name), '', { flag: 'wx' });
  giveTo(parent, join(parent, name));
}

/** Files that root creates in a repository must belong to its owner. */
function giveTo(parent: string, made: string): void {
  const { uid, gid } = statSync(parent);
  if (process.getuid?.() === 0) chownSync(made, uid, gid);
}

function unlessRefused(make: () => void): void {
  try {
    make();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EROFS' && code !== 'EACCES' && code !== 'EPERM' && code !== 'EEXIST') throw error;
  }
}

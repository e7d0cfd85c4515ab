/**
 * What a focus in a worktree may do with the repository that its worktree belongs to. A commit needs objects, refs, logs and the
 * worktree's own entry. All else there is the operator's: git reads configuration from it, runs programs out of it, or believes it.
 */
import { chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../core/files/regular-file.ts';
import type { FileRule } from '../../process/file-rules.ts';
import type { Repository } from './repository.ts';

/**
 * What a command may write right in the common directory: refs are packed there, under a lock; `gc` says there that it runs; `lfs`
 * holds contents by their hashes. Everything else that is there when the focus begins is read-only.
 */
const WRITABLE = new Set(['objects', 'refs', 'logs', 'lfs', 'packed-refs', 'packed-refs.lock', 'gc.pid', 'gc.log']);
/** What git obeys as soon as it is there, so it has to be there before a command could make it. */
const DIRECTORIES = ['hooks', 'info', 'modules'];

/** Rules for commands and file tools of the focus whose worktree is at `path`, with the entry `entry`. */
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

/** Empty ones change nothing for git. Where they cannot be made, nobody of this user can make them either. */
function makePlaceholders(commonDir: string, entry: string): void {
  for (const name of DIRECTORIES) unlessRefused(() => makeDirectory(commonDir, name));
  if (hasWorktreeConfig(commonDir))
    for (const directory of [commonDir, entry]) unlessRefused(() => makeFile(directory, 'config.worktree'));
}

/** Only where git would read it; a word in the configuration is enough to be sure. */
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

/** What root makes in a repository belongs to its owner. */
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

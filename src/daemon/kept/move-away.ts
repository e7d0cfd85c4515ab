/** Moves the directory of a worktree out of the way in one step, so that it is there as a whole or not at all, and deletes it afterwards. */
import { lstatSync } from 'node:fs';
import { chmod, lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { worktreeBranch } from '../../core/work/worktree-branch.ts';

/** A directory that is on its way out: `.removing-` and the end of the worktree's id. */
const AWAY = /^\.removing-([0-9a-f]{12})$/;

/** The name of the directory of a worktree, and of its refs: the end of its id. */
export function worktreeName(id: string): string {
  return worktreeBranch(id).slice('animus/'.length);
}

/**
 * Renames the directory of a worktree to the name under which `deleteMoved` and `putBack` find it. False: it is not there. Only a directory below `root`
 * is moved, by a name made from the id: no path of the database is followed, and neither is a symbolic link. Throws where it cannot be moved.
 */
export async function moveAway(root: string, id: string): Promise<boolean> {
  const name = worktreeName(id);
  const from = join(root, name);
  const found = lstatSync(from, { throwIfNoEntry: false });
  if (found === undefined) return lstatSync(awayPath(root, name), { throwIfNoEntry: false }) !== undefined;
  if (!found.isDirectory()) throw new Error(`${from} is not a directory; look at it and remove it`);
  await rename(from, awayPath(root, name));
  return true;
}

/** Renames it back, where the transaction that moved it did not commit. */
export async function putBack(root: string, id: string): Promise<void> {
  const name = worktreeName(id);
  await rename(awayPath(root, name), join(root, name));
}

/** Deletes what was moved away. Symbolic links in it are removed, not followed. */
export async function deleteMoved(root: string, id: string): Promise<void> {
  await deleteTree(awayPath(root, worktreeName(id)));
}

/** The names of directories that a process moved away and then ended. */
export async function movedNames(root: string): Promise<string[]> {
  return (await readdir(root)).flatMap((entry) => AWAY.exec(entry)?.[1] ?? []);
}

function awayPath(root: string, name: string): string {
  return join(root, `.removing-${name}`);
}

async function deleteTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    // Caches of package managers have directories that not even their owner may write to.
    await openDirectories(path);
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function openDirectories(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await openDirectories(join(path, entry.name));
  }
}

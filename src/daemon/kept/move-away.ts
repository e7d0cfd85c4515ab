/** Moves the directory of a worktree out of the way in one step, so that it is there as a whole or not at all, and deletes it afterwards. */
import { lstatSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { removeDirectory } from '../../process/remove-directory.ts';
import { worktreeNames } from '../worktrees/worktree-refs.ts';

/** A directory that is on its way out: `.removing-` and the end of the worktree's id. */
const AWAY = /^\.removing-([0-9a-f]{12})$/;

/**
 * Renames the directory of a worktree to the name under which `deleteMoved` and `putBack` find it. False: it is not there. Only a directory below `root`
 * is moved, by a name made from the id: no path of the database is followed, and neither is a symbolic link. Throws where it cannot be moved.
 */
export async function moveAway(root: string, id: string): Promise<boolean> {
  const { name } = worktreeNames(id);
  const from = join(root, name);
  const found = lstatSync(from, { throwIfNoEntry: false });
  if (found === undefined) return lstatSync(awayPath(root, name), { throwIfNoEntry: false }) !== undefined;
  if (!found.isDirectory()) throw new Error(`${from} is not a directory; inspect it and remove it`);
  await rename(from, awayPath(root, name));
  return true;
}

/** Renames it back, where the transaction that moved it did not commit. */
export async function putBack(root: string, id: string): Promise<void> {
  const { name } = worktreeNames(id);
  await rename(awayPath(root, name), join(root, name));
}

/** Deletes what was moved away. Symbolic links in it are removed, not followed. */
export async function deleteMoved(root: string, id: string): Promise<void> {
  await removeDirectory(awayPath(root, worktreeNames(id).name));
}

/** The names of directories that a process moved away and then ended. */
export async function movedNames(root: string): Promise<string[]> {
  return (await readdir(root)).flatMap((entry) => AWAY.exec(entry)?.[1] ?? []);
}

function awayPath(root: string, name: string): string {
  return join(root, `.removing-${name}`);
}

/** The directory that contains the private repositories of this host's work. */
import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { chmod, link, mkdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readRegularFile } from '../../core/files/regular-file.ts';

/** The directory as it is now. */
export interface WorktreesRoot {
  /** Absolute real path. */
  readonly path: string;
  /**
   * A random id in a file of it. A worktree that was recorded with this id and is not there is gone; with another id it may be on another
   * host, or on a volume that is not mounted.
   */
  readonly place: string;
}

const FILE = '.place';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Makes the directory, if there is none, and reads its id; nothing is remembered, because volumes come and go. */
export async function openRoot(directory: string): Promise<WorktreesRoot> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = await realpath(directory);
  return { path, place: readPlace(path) ?? (await writePlace(path)) };
}

/** Lets commands that run as another user pass through it to the directories in it, without listing them. `path`: the directory of worktrees. */
export async function letThrough(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  for (const above of [dirname(path), path]) await chmod(above, (await stat(above)).mode | 0o011);
}

/** True for a directory, false for a symlink to one. Throws where it cannot be seen: that is not the same as gone. */
export function isPlainDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The id in the directory of this path; null: it has none. */
export function readPlace(path: string): string | null {
  try {
    const text = readRegularFile(join(path, FILE), { maxBytes: 100, followLink: false }).toString('latin1').trim();
    return UUID.test(text) ? text : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Several daemons may begin at once: the first one's id counts. */
async function writePlace(path: string): Promise<string> {
  const mine = join(path, `${FILE}-${randomUUID()}`);
  await writeFile(mine, `${randomUUID()}\n`, { flag: 'wx' });
  try {
    await link(mine, join(path, FILE)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(mine, { force: true });
  }
  const text = (await readFile(join(path, FILE), 'latin1')).trim();
  if (!UUID.test(text)) throw new Error(`${join(path, FILE)} is damaged: remove it if no other daemon uses ${path}`);
  return text;
}

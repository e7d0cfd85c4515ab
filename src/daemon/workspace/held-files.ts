/** Whether a directory contains something that somebody made. What cannot be read counts as such. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** True unless it is proved that no file and no link is in it, at any depth. Sockets and pipes hold nothing. False for a directory that is not there. */
export async function holdsFiles(directory: string): Promise<boolean> {
  return someEntry(directory, ({ isKept }) => isKept);
}

/** True unless it is proved that nothing in it, at any depth, was made or changed after `sinceMs` (since 1970, on the clock of its file system). */
export async function changedSince(directory: string, sinceMs: number): Promise<boolean> {
  if (await isNewer(directory, sinceMs)) return true;
  return someEntry(directory, ({ path }) => isNewer(path, sinceMs));
}

interface Found {
  readonly path: string;
  /** A file or a link. */
  readonly isKept: boolean;
}

/** Whether this is true of an entry at any depth. Stops at the first; follows no links. */
async function someEntry(directory: string, isTrue: (found: Found) => boolean | Promise<boolean>): Promise<boolean> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(absentOrUnseen);
  if (entries === UNSEEN) return true;
  const below: string[] = [];
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (await isTrue({ path, isKept: entry.isFile() || entry.isSymbolicLink() })) return true;
    if (entry.isDirectory()) below.push(path);
  }
  for (const path of below) if (await someEntry(path, isTrue)) return true;
  return false;
}

/** No program can set the time of a change (ctime), unlike that of a modification. */
async function isNewer(path: string, thanMs: number): Promise<boolean> {
  const stats = await lstat(path).catch(absentOrUnseen);
  if (stats === UNSEEN) return true;
  return !Array.isArray(stats) && stats.ctimeMs > thanMs;
}

const UNSEEN = Symbol('unseen');

/** Only ENOENT proves that something is not there: no permission, a stale mount or a failing disk do not. */
function absentOrUnseen(error: NodeJS.ErrnoException): typeof UNSEEN | [] {
  return error.code === 'ENOENT' ? [] : UNSEEN;
}

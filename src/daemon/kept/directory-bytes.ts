/** How much space a directory takes. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** So that one with millions of files does not hold up the others: then its size is a lower bound. */
const MOST_ENTRIES = 500_000;

/** What its files occupy on disk. Links are not followed; 0 for a directory that is not there. */
export async function directoryBytes(directory: string): Promise<number> {
  let bytes = 0;
  let entries = 0;
  const waiting = [directory];
  for (let path = waiting.pop(); path !== undefined && entries < MOST_ENTRIES; path = waiting.pop()) {
    try {
      const stats = await lstat(path);
      entries += 1;
      bytes += stats.blocks * 512;
      if (stats.isDirectory()) for (const entry of await readdir(path)) waiting.push(join(path, entry));
    } catch (error) {
      // An agent may be at work in it, and another user's directory may be closed to this one.
      if (!['ENOENT', 'EACCES', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return bytes;
}

/** Removes a directory that an agent has filled. */
import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes it with everything in it; does nothing if it is not there. Directories that their owner may not write, as in Go's cache of modules,
 * are made writable first. No process may be working in it.
 */
export async function removeDirectory(directory: string): Promise<void> {
  try {
    await remove(directory);
  } catch (error) {
    if (!isRefused(error)) throw error;
    await makeWritable(directory);
    await remove(directory);
  }
}

function remove(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

function isRefused(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM';
}

/** Follows no links. */
async function makeWritable(directory: string): Promise<void> {
  await chmod(directory, 0o700);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(directory, entry.name));
  }
}

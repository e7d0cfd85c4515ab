/** Removes a directory that an agent has filled. */
import { execFile } from 'node:child_process';
import { chmod, opendir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemProgram } from './runners/start-gate.ts';

/** From about here on a process is faster than Node, which takes 20 µs of its main thread for each file. */
const MANY_ENTRIES = 500;

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

/** The same for a directory whose name nobody uses again: a program that removes it may outlive this process. */
export async function removeRenamed(directory: string): Promise<void> {
  if (await hasMoreThan(directory, MANY_ENTRIES)) await removeByProgram(directory);
  await removeDirectory(directory);
}

/** What it leaves, for whatever reason, is for `remove`, which says why it cannot. */
async function removeByProgram(directory: string): Promise<void> {
  const program = systemProgram('rm');
  if (program !== null) await promisify(execFile)(program, ['-rf', '--', directory], { env: {} }).catch(() => {});
}

function remove(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

/** Follows no links. What cannot be read counts as empty. */
async function hasMoreThan(directory: string, most: number): Promise<boolean> {
  const waiting = [directory];
  let found = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    try {
      for await (const entry of await opendir(next)) {
        if (++found > most) return true;
        if (entry.isDirectory()) waiting.push(join(next, entry.name));
      }
    } catch {
      continue;
    }
  }
  return false;
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

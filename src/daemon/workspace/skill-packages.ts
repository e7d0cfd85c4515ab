/** The files of active skills on this host: written when a focus first reads one, and kept for the next. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Unused for so long, they are removed; they can be written again at any time. */
const KEPT_MS = 7 * 86_400_000;

/** Removes what no focus has read for seven days, and what a crash left half-written. */
export async function sweepPackages(directory: string, nowMs = Date.now()): Promise<void> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    const path = join(directory, name);
    const { mtimeMs } = await stat(path);
    if (mtimeMs < nowMs - KEPT_MS) await rm(path, { recursive: true, force: true });
  }
}

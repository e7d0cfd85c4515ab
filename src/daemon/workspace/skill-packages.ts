/** The files of active skills on this host: written when a focus first reads one, and kept for the next. */
import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../core/files/if-missing.ts';

/** Unused for so long, they are removed; they can be written again at any time. */
const KEPT_MS = 7 * 86_400_000;
/** A package that is being removed: without its name, half of it is never taken for the whole. */
const GONE = '.gone-';

/** Removes what no focus has read for seven days, and what a crash left half-written or half-removed. Other daemons may do the same at the same time. */
export async function sweepPackages(directory: string, nowMs = Date.now()): Promise<void> {
  const names = await readdir(directory).catch(ifMissing([]));
  for (const name of names) {
    const path = join(directory, name);
    const stats = await stat(path).catch(ifMissing(null));
    if (stats === null) continue;
    if (name.startsWith(GONE)) await rm(path, { recursive: true, force: true });
    else if (stats.mtimeMs < nowMs - KEPT_MS) await removeWhole(path, join(directory, `${GONE}${randomUUID()}`));
  }
}

async function removeWhole(path: string, aside: string): Promise<void> {
  await rename(path, aside).catch(ifMissing(null));
  await rm(aside, { recursive: true, force: true });
}

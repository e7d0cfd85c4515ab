/** Walks the files below a directory of the workspace, never through a link. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bounds, mountOf } from '../mounts.ts';
import { isRefusal } from '../refusal.ts';
import { isHidden, openDirectoryInside } from '../workspace.ts';

/** Large directories with generated or third-party files. */
export const SKIPPED_DIRECTORIES: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** A directory on the walk: its real path, and its path relative to the start of the walk. */
interface Place {
  readonly real: string;
  readonly relative: string;
}

/**
 * Yields regular files in the order of their names, relative to `real`, a directory of the workspace. What cannot be opened
 * (no permission, deleted meanwhile) is reported to `skipped`. SKIPPED_DIRECTORIES and hidden paths are skipped silently.
 */
export async function* walkFiles(
  bounds: Bounds,
  real: string,
  signal: AbortSignal,
  skipped: (path: string) => void,
): AsyncGenerator<string> {
  const waiting: Place[] = [{ real, relative: '' }];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    signal.throwIfAborted();
    const entries = await entriesOf(bounds, place.real);
    if (entries === null) {
      skipped(place.relative);
      continue;
    }
    // Skills are kept where nothing else may be read.
    const isMounted = mountOf(bounds, place.real) !== undefined;
    const below: Place[] = [];
    for (const entry of entries) {
      const relative = join(place.relative, entry.name);
      if (!isMounted && isHidden(bounds.fileRules, join(place.real, entry.name))) continue;
      if (entry.isFile()) yield relative;
      if (entry.isDirectory() && !SKIPPED_DIRECTORIES.has(entry.name))
        below.push({ real: join(place.real, entry.name), relative });
    }
    for (const next of below.toReversed()) waiting.push(next);
  }
}

async function entriesOf(bounds: Bounds, real: string): Promise<readonly Dirent[] | null> {
  const opened = await openDirectoryInside(bounds, real, { create: false });
  if (isRefusal(opened)) return null;
  await using directory = opened;
  const entries = await readdir(directory.base, { withFileTypes: true });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

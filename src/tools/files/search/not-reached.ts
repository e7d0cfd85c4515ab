/** Where a search that ran out of time may not have been: the directories at the top of its place of which ripgrep has named no file. */
import { opendir } from 'node:fs/promises';
import type { Bounds } from '../mounts.ts';
import { printableName } from '../printable-name.ts';
import { isRefusal } from '../refusal.ts';
import { openDirectoryInside } from '../workspace.ts';
import type { Notes } from './notes.ts';
import { maySee, type SearchPlace } from './place.ts';

/** Of a directory with more entries, not all are looked at. */
const MAX_ENTRIES = 10_000;
const MAX_NAMED = 10;

/** Their names, without those that the search leaves out; `named`: paths that ripgrep has named, below the place, or their tops. */
export async function directoriesNotNamed(
  place: SearchPlace,
  named: Iterable<string>,
  { ignored }: Pick<Notes, 'ignored'>,
  bounds: Bounds,
): Promise<readonly string[]> {
  const opened = await openDirectoryInside(bounds, place.directory, { create: false });
  if (isRefusal(opened)) return [];
  await using directory = opened;
  const seen = new Set([...ignored, ...[...named].map(topOf), '.git']);
  const found: string[] = [];
  let entries = 0;
  for await (const entry of await opendir(directory.base)) {
    if (entry.isDirectory() && !seen.has(entry.name) && maySee(place, entry.name)) found.push(entry.name);
    if (++entries === MAX_ENTRIES) break;
  }
  return found.map((name) => printableName(`${place.shownBefore}${name}`)).toSorted();
}

/** The name at the top of a path; that of a file at the top is its own. */
export function topOf(below: string): string {
  return below.split('/', 1)[0]!;
}

/** Some of them, for a note. */
export function someOf(directories: readonly string[]): string {
  const more = directories.length - MAX_NAMED;
  return `${directories.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

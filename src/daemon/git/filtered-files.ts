/**
 * Files under a filter (such as Git LFS): git stores something else than the checkout has. The daemon runs no filters, so it cannot commit them, and git
 * takes a file that the agent checked out through its filter for changed.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitPlace, GitWriter } from './git.ts';
import { readGit } from './repository-writes.ts';

/** Of `paths`, which git takes for changed: `all` under a filter, and those that the agent did change since they were checked out. */
export async function filteredPaths(
  place: GitPlace,
  paths: readonly string[],
  git: GitWriter,
): Promise<{ readonly all: ReadonlySet<string>; readonly changed: readonly string[] }> {
  if (paths.length === 0) return { all: new Set(), changed: [] };
  const stdin = paths.map((path) => `${path}\0`).join('');
  const answered = (await readGit(place, ['check-attr', '-z', '--stdin', 'filter'], git, { stdin })).split('\0');
  const filters = filtersOf(place);
  const all = new Set(paths.filter((_, n) => filters.has(answered[3 * n + 2] ?? '')));
  if (all.size === 0) return { all, changed: [] };
  const recorded = await recordedStats(place, git);
  const changed: string[] = [];
  for (const path of all) if (!(await isAsCheckedOut(place, path, recorded.get(path)))) changed.push(path);
  return { all, changed };
}

/** Those that the repository configures, and Git LFS, which users configure for all repositories. Without a program a filter does nothing. */
function filtersOf({ off }: GitPlace): ReadonlySet<string> {
  const names = off.flatMap(([key]) => /^filter\.(.+)\.clean$/s.exec(key)?.[1] ?? []);
  return new Set(['lfs', ...names]);
}

interface Recorded {
  readonly mtime: string;
  readonly size: number;
}

/** The times and sizes that the index has recorded for every file when it was checked out. */
async function recordedStats(place: GitPlace, git: GitWriter): Promise<ReadonlyMap<string, Recorded>> {
  const listed = await readGit(place, ['ls-files', '--debug', '-z'], git);
  // A path ends with NUL, and the lines about it follow.
  const found = listed.matchAll(
    /([^\0]*)\0 {2}ctime: [^\n]*\n {2}mtime: (\d+:\d+)\n[^\n]*\n[^\n]*\n {2}size: (\d+)[^\n]*\n/g,
  );
  return new Map([...found].map(([, path, mtime, size]) => [path!, { mtime: mtime!, size: Number(size) }]));
}

async function isAsCheckedOut({ workTree }: GitPlace, path: string, recorded: Recorded | undefined): Promise<boolean> {
  const stats = await lstat(join(workTree!, path), { bigint: true }).catch(() => null);
  if (!stats || !recorded) return false;
  const mtime = `${stats.mtimeNs / 1_000_000_000n}:${stats.mtimeNs % 1_000_000_000n}`;
  // The index has 32 bits for a size, and 0 for a file that was written at the same moment as the index itself.
  const size = Number(BigInt.asUintN(32, stats.size));
  return mtime === recorded.mtime && (recorded.size === size || recorded.size === 0);
}

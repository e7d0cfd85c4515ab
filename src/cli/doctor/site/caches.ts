/** Shows what the shared caches of faculties take on this disk. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Faculties } from '../../../catalog/faculties.ts';
import type { Config } from '../../../core/config/config.ts';
import { cachesRoot } from '../../../daemon/guard/command-places.ts';
import { type Finding, fine, note } from '../../../terminal/view/finding.ts';
import { bytes } from '../../../terminal/view/quantities.ts';

/** A cache may hold millions of files, and the doctor must not take minutes. */
const MAX_MS = 5000;
const BATCH = 64;

/** One finding per faculty that has shared caches on this host. */
export async function examineCaches(
  { home }: Pick<Config, 'home'>,
  { faculties, problems }: Faculties,
): Promise<readonly Finding[]> {
  const root = cachesRoot(home);
  const until = performance.now() + MAX_MS;
  const findings: Finding[] = [];
  for (const faculty of (await namesIn(root)).toSorted()) {
    const managers = (await namesIn(join(root, faculty))).filter((name) => !name.startsWith('.')).toSorted();
    const sizes: string[] = [];
    for (const manager of managers) sizes.push(`${manager} ${await sizeOf(join(root, faculty, manager), until)}`);
    if (sizes.length === 0) continue;
    const wanted: readonly string[] = faculties.get(faculty)?.caches ?? [];
    // A file with problems may be that of the faculty.
    const unused = problems.length > 0 ? [] : managers.filter((manager) => !wanted.includes(manager));
    const what = `${faculty}: ${sizes.join(', ')} in ${join(root, faculty)}`;
    findings.push(unused.length === 0 ? fine(CHECK, what) : unusedNote(what, faculty, unused, root));
  }
  return findings;
}

const CHECK = 'package caches';

function unusedNote(what: string, faculty: string, unused: readonly string[], root: string): Finding {
  const paths = unused.map((manager) => join(root, faculty, manager));
  const detail = `${what}; faculty ${faculty} does not name ${unused.join(', ')} in caches here`;
  return note(CHECK, detail, `if no other daemon uses it: rm -rf ${paths.join(' ')}`);
}

/** Of all files on disk; `more than` when the time is up. Files that vanish meanwhile count as nothing. */
async function sizeOf(directory: string, untilMs: number): Promise<string> {
  let total = 0;
  const left = [directory];
  while (left.length > 0) {
    if (performance.now() > untilMs) return `more than ${bytes(total)}`;
    const sizes = await Promise.all(
      left.splice(-BATCH).map(async (path) => {
        const found = await lstat(path).catch(unlessGone);
        if (found?.isDirectory()) left.push(...(await namesIn(path)).map((name) => join(path, name)));
        return (found?.blocks ?? 0) * 512;
      }),
    );
    total += sizes.reduce((sum, size) => sum + size, 0);
  }
  return bytes(total);
}

function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch((error: NodeJS.ErrnoException) => unlessGone(error) ?? []);
}

function unlessGone(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT' && error.code !== 'EACCES') throw error;
  return null;
}

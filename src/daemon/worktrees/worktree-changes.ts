/** What an item has changed between two commits, for its outcome and for people. */
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '../../core/files/regular-file.ts';
import type { GitPlace, GitWriter } from '../git/git.ts';
import { readGit } from '../git/repository-writes.ts';

/** Commits and files between the start of an item and what it left. */
export interface Changes {
  readonly commits: number;
  /** Paths relative to the root, sorted. */
  readonly files: readonly string[];
  /** Of these, the ones that are a commit of a submodule or of an embedded repository. */
  readonly gitlinks: readonly string[];
  /** `git diff --binary --full-index`; null: longer than 4 MiB, or empty. */
  readonly patch: Buffer | null;
  readonly patchBytes: number;
}

/** As in the table animus.worktree_results. */
const MAX_PATCH_BYTES = 4 * 1024 * 1024;

const NONE: Changes = { commits: 0, files: [], gitlinks: [], patch: null, patchBytes: 0 };

/** `tip`: of the branch; `result`: with the files that were left uncommitted. */
export async function changesBetween(
  place: GitPlace,
  { start, tip, result }: { readonly start: string; readonly tip: string; readonly result: string },
  git: GitWriter,
): Promise<Changes> {
  if (start === result && start === tip) return NONE;
  const [count, listed, { patch, patchBytes }] = await Promise.all([
    readGit(place, ['rev-list', '--count', tip, '--not', start], git),
    readGit(place, ['diff-tree', '-r', '-z', '--no-renames', start, result], git),
    readPatch(place, start, result, git),
  ]);
  const raw = listed.split('\0');
  const entries = raw.flatMap((fields, n) => (fields.startsWith(':') ? [{ fields, path: raw[n + 1]! }] : []));
  return {
    commits: Number(count),
    files: entries.map(({ path }) => path).toSorted(),
    gitlinks: entries.filter(({ fields }) => / 160000 |^:160000 /.test(fields)).map(({ path }) => path),
    patch,
    patchBytes,
  };
}

/** Through a file: the output of a command is decoded as text, and a patch has the bytes of the files. */
async function readPatch(place: GitPlace, start: string, result: string, git: GitWriter) {
  const file = join(place.gitDir, 'animus-patch');
  rmSync(file, { recursive: true, force: true });
  try {
    const how = [
      '--binary',
      '--full-index',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--src-prefix=a/',
      '--dst-prefix=b/',
    ];
    await readGit(place, ['diff', ...how, `--output=${file}`, start, result, '--'], git);
    const patch = readRegularFile(file, { maxBytes: Number.MAX_SAFE_INTEGER, followLink: false });
    const fits = patch.length > 0 && patch.length <= MAX_PATCH_BYTES;
    return { patch: fits ? patch : null, patchBytes: patch.length };
  } finally {
    await rm(file, { force: true });
  }
}

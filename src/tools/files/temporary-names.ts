/** Names of the files through which others are written. Each says which process writes it, so that what a killed process has left is told from what another daemon writes now. */
import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { ifMissing } from '../../core/files/if-missing.ts';
import { type Lease, whileHeld } from '../../core/lifecycle/lease.ts';
import { livesOf, processMark } from '../../process/trace/process-mark.ts';

/** Names that belong together. */
export interface TemporaryNames {
  /** Of the new content. */
  readonly fresh: string;
  /** Of the old content, until the change is sure. */
  readonly backup: string;
  /** Of the old content where it could not be put back: such a file is no longer temporary. */
  readonly kept: string;
}

/** All temporary names, as git writes patterns of names. */
export const TEMPORARY_PATTERN = '.animus-write-*.tmp';

const TEMPORARY = /^\.animus-write-(.*)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(?:new|old)\.tmp$/;

/** A file lives for as long as a disk takes to write it. A writer that needed longer has lost its lease, and renames nothing. */
const LONGEST_WRITE_MS = 600_000;

/** Names that no other file has. */
export function temporaryNames(): TemporaryNames {
  const id = randomUUID();
  const own = `.animus-write-${markOf()}_${id}`;
  return { fresh: `${own}.new.tmp`, backup: `${own}.old.tmp`, kept: `.animus-${id}.old` };
}

/** `path`: of a file, with `/`. */
export function isTemporaryName(path: string): boolean {
  return TEMPORARY.test(basename(path));
}

/** The directories, by real path, that were looked through for a focus. */
const lookedAt = new WeakMap<Lease, Set<string>>();

/**
 * Removes what dead processes have left in this directory, once per focus. `base`: a prefix by which it is reached. Of a process on another host or in
 * another container, what is older than ten minutes. Errors: those of the file system, unless it forbids listing or removing; `work.lease_lost`.
 */
export async function removeLeft(
  { base, real }: { readonly base: string; readonly real: string },
  lease: Lease,
): Promise<void> {
  const seen = lookedAt.get(lease) ?? new Set();
  if (seen.has(real)) return;
  lookedAt.set(lease, seen.add(real));
  const entries: readonly Dirent[] = await readdir(base, { withFileTypes: true }).catch(unlessForbidden([]));
  for (const entry of entries) {
    const left = `${base}/${entry.name}`;
    if (!entry.isFile() || !isTemporaryName(entry.name) || !(await isLeft(left))) continue;
    await whileHeld(lease, () => rm(left, { force: true })).catch(unlessForbidden(undefined));
  }
}

async function isLeft(path: string): Promise<boolean> {
  const mark = TEMPORARY.exec(basename(path))![1]!.replaceAll('_', '/');
  const lives = livesOf(mark);
  if (lives !== null) return !lives;
  const stats = await lstat(path).catch(ifMissing(null));
  return stats !== null && Date.now() - stats.mtimeMs > LONGEST_WRITE_MS;
}

let ownMark: string | undefined;

/** Of this process, in a form that a name can have. */
function markOf(): string {
  ownMark ??= processMark(process.pid).replaceAll('/', '_');
  return ownMark;
}

/** Who may write into a directory need not be allowed to list it, or to remove files of others from it. */
function unlessForbidden<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'EACCES' || error.code === 'EPERM') return instead;
    throw error;
  };
}

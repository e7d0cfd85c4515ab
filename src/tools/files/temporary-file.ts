/** What takes the place of a file by a rename: readers see the old content or the new one, never a part. */
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, link, lstat, open, rename } from 'node:fs/promises';
import { ifMissing } from '../../core/files/if-missing.ts';
import { type Lease, whileHeld } from '../../core/lifecycle/lease.ts';
import type { Bounds } from './mounts.ts';
import { hashOf } from './seen-files.ts';
import { type FileContent, readUpTo } from './text-file.ts';
import { type Heir, unfitReason } from './workspace.ts';

/** The limits of tools that change files. */
export interface WriteBounds extends Bounds {
  /** Of the focus: nothing is renamed or removed unless it surely holds. */
  readonly lease: Lease;
}

/** The existing file; null if there is none. */
export async function existing(target: string): Promise<Stats | null> {
  return lstat(target).catch(ifMissing(null));
}

/** Checks write permission, because a rename needs none on the file it replaces. */
export async function whyNot(target: string, old: Stats): Promise<string | null> {
  const unfit = unfitReason(old);
  if (!unfit) await access(target, constants.W_OK);
  return unfit;
}

/** Creates a file with the content: mode and owner of `old`; else, for root, the owner of the directory. */
export async function writeTemporary(
  temporary: string,
  content: string,
  old: Stats | null,
  heir: Heir | null,
): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    await handle.writeFile(content);
    if (old) await keepOwnerAndMode(handle, old);
    else if (heir) await handle.chown(heir.uid, heir.gid);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

async function keepOwnerAndMode(handle: FileHandle, old: Stats): Promise<void> {
  const now = await handle.stat();
  if (now.uid !== old.uid || now.gid !== old.gid) {
    await handle.chown(old.uid, old.gid).catch((error: NodeJS.ErrnoException) => {
      // Only root may change the owner. Other users own the new file, as with any editor that saves by renaming.
      if (error.code !== 'EPERM') throw error;
    });
  }
  // Without set-uid bits, as after any write: they were set for the old content.
  await handle.chmod(old.mode & 0o1777);
}

/**
 * True if the file is still the one that was read, with the same content: a time stamp may be too coarse to show a change. What another program writes within
 * the microseconds until the rename is lost.
 */
export async function isStill({ stats, hash }: Pick<FileContent, 'stats' | 'hash'>, target: string): Promise<boolean> {
  const now = await existing(target);
  if (now === null || now.ino !== stats.ino || now.size !== stats.size || now.mtimeMs !== stats.mtimeMs) return false;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  await using handle = await open(target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const content = await readUpTo(handle, stats.size);
  return content !== null && hashOf(content) === hash;
}

/** Gives a file its name, unless something has that name; returns whether it did. Where there are no hard links, what is created within microseconds is lost. */
export async function placeNew(temporary: string, target: string, lease: Lease): Promise<boolean> {
  try {
    await whileHeld(lease, () => link(temporary, target));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || (await existing(target)) !== null) return false;
    await whileHeld(lease, () => rename(temporary, target));
    return true;
  }
}

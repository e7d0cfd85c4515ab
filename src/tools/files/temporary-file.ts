/** What takes the place of a file by a rename: readers see the old content or the new one, never a part. */
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, open } from 'node:fs/promises';
import { ifMissing } from '../../core/files/if-missing.ts';
import type { Lease } from '../../core/lifecycle/lease.ts';
import type { Bounds } from './mounts.ts';
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

/** True if the file is still the one that was read, unchanged. */
export function isSame(before: Stats, now: Stats | null): boolean {
  return now !== null && now.ino === before.ino && now.size === before.size && now.mtimeMs === before.mtimeMs;
}

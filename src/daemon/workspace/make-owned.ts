/** Makes a directory of animus that belongs to the user of commands. */
import { lchown, lstat, mkdir, mkdtemp, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifMissing } from '../../core/files/if-missing.ts';
import { removeDirectory } from '../../process/remove-directory.ts';
import type { User } from '../../process/runners/user.ts';

/**
 * Makes the directory (mode 0700) with its parents, or finds it. `user`: whose it is; null: this process's. `fill` writes what is in a new one,
 * before anybody else can enter it. It appears whole, so two processes can make it at once. Returns the user id of its owner if it is another
 * one, or if it is not a directory; then nothing was done. Null: it can be used.
 */
export async function makeOwned(
  directory: string,
  user: User | null,
  fill: (directory: string) => Promise<void> = async () => {},
): Promise<number | null> {
  if ((await lstat(directory).catch(ifMissing(null))) === null) {
    await mkdir(dirname(directory), { recursive: true, mode: 0o700 });
    await makeWhole(directory, user, fill);
  }
  const found = await lstat(directory);
  const wanted = user?.uid ?? process.getuid?.() ?? found.uid;
  return found.isDirectory() && found.uid === wanted ? null : found.uid;
}

async function makeWhole(directory: string, user: User | null, fill: (directory: string) => Promise<void>) {
  const making = await mkdtemp(join(dirname(directory), '.new-'));
  try {
    await fill(making);
    if (user !== null) await giveAll(making, user);
    await rename(making, directory);
  } catch (error) {
    await removeDirectory(making);
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** The directory itself last: until then nobody else can enter it. */
async function giveAll(directory: string, { uid, gid }: User): Promise<void> {
  for (const name of await readdir(directory, { recursive: true })) await lchown(join(directory, name), uid, gid);
  await lchown(directory, uid, gid);
}

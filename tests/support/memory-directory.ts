/** Where tests keep databases: in memory where there is room, otherwise with the temporary files. */
import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** A run needs a few hundred MB; containers often have 64 MB there. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * A directory for databases of tests. They create and drop thousands of files, and ext4 does not use the inode of a file again
 * for some seconds after its deletion: looking for a free one was a quarter of the processor time of the tests.
 * Programs may not be executable there.
 */
export function databaseDirectory(): string {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize >= NEEDED_BYTES) return MEMORY;
  } catch {
    // Not Linux, or not for us.
  }
  return tmpdir();
}

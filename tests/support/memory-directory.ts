/** Where tests keep databases: in memory where there is room, otherwise with the temporary files. */
import { accessSync, constants, existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** A run needs a few hundred MB; containers often have 64 MB there. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * A directory for databases of tests. They create and drop thousands of files, and ext4 does not use the inode of a file again
 * for some seconds after its deletion: looking for a free one was a quarter of the processor time of the tests.
 * Programs may not be executable there.
 */
function databaseDirectory(): string {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize >= NEEDED_BYTES) return MEMORY;
  } catch {
    // Not Linux, or not for us.
  }
  return tmpdir();
}

/** Makes a directory there. Whoever made it removes it; if its process is killed, the next run of tests does. */
export function memoryDirectory(what: 'pg' | 'home', place = databaseDirectory()): string {
  return mkdtempSync(join(place, `animus-${what}-${processes()}-${process.pid}-`));
}

/** Removes the directories of processes that have ended. What killed runs leave in memory would fill it in a day. */
export function removeLeftDirectories(): void {
  const place = databaseDirectory();
  for (const name of readdirSync(place)) {
    const [, made, pid] = /^animus-(?:pg|home)-(\d+)-(\d+)-/.exec(name) ?? [];
    // A number of another PID namespace, as in a container that shares the directory, says nothing.
    if (made === processes() && !existsSync(`/proc/${pid}`))
      rmSync(join(place, name), { recursive: true, force: true });
  }
}

/** Names the PID namespace; empty where there is none. */
function processes(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0];
  } catch {
    return '';
  }
}

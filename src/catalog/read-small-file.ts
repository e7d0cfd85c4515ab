import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const MOST_BYTES = 1024 * 1024;
/** So that opening a named pipe that nobody writes to does not wait. 0 on Windows. */
const NONBLOCK = constants.O_NONBLOCK ?? 0;

/**
 * What a person wrote, as text. A regular file of at most 1 MiB: these are read while the daemon works, and a pipe or a device would
 * hold up its leases for ever. Throws an error that says what is wrong, or the system's own.
 */
export function readSmallFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw new Error('is a directory');
    if (!stats.isFile()) throw new Error('is no regular file (a pipe, socket or device)');
    if (stats.size > MOST_BYTES) throw new Error(`has ${stats.size} bytes; at most ${MOST_BYTES} are read`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

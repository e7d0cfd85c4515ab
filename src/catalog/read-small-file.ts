import { readRegularFile } from '../core/files/regular-file.ts';

/**
 * What a person wrote, as text. A regular file of at most 1 MiB: these are read while the daemon works, and a pipe or a device would
 * hold up its leases for ever. Throws an error that says what is wrong, or the system's own.
 */
export function readSmallFile(path: string): string {
  return readRegularFile(path).toString('utf8');
}

import { readRegularFile } from './regular-file.ts';

/**
 * Reads a text file that a person wrote: a regular file of at most 1 MiB. The daemon reads such files while it works, and
 * a pipe or a device would block it for ever. Throws an error that describes the problem, or the system's error.
 */
export function readSmallFile(path: string): string {
  return readRegularFile(path).toString('utf8');
}

/** Reads and writes small files in directories that others can write to. Never blocks on a pipe, and never reads a device or too much. */
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';

/** 1 MiB: larger than any file that a person writes for animus. */
const MOST_BYTES = 1024 * 1024;
// Missing on Windows, which has no such links and no named pipes in its file system.
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;
const O_DIRECTORY = constants.O_DIRECTORY ?? 0;
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const O_NONBLOCK = constants.O_NONBLOCK ?? 0;
const O_NOCTTY = constants.O_NOCTTY ?? 0;

export interface ReadLimits {
  /** Default 1 MiB; a larger file is refused. */
  readonly maxBytes?: number;
  /** False: refuses a symbolic link, for files that an agent may have written. Default true: people use links. */
  readonly followLink?: boolean;
  /** True: the path has no links, and the file is refused if one of its folders is one meanwhile (found on Linux). Default false. */
  readonly isRealPath?: boolean;
}

/**
 * Reads a regular file. Does not block on a named pipe and does not read a device. Throws an error that describes the
 * problem, or the system's error (ENOENT, ELOOP for a refused link).
 */
export function readRegularFile(
  path: string,
  { maxBytes = MOST_BYTES, followLink = true, isRealPath = false }: ReadLimits = {},
): Buffer {
  const file = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (followLink ? 0 : O_NOFOLLOW));
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw new Error('is a directory');
    if (!stats.isFile()) throw new Error('is not a regular file (but a pipe, socket or device)');
    if (isRealPath && process.platform === 'linux' && readlinkSync(`/proc/self/fd/${file}`) !== path)
      throw new Error('was replaced by a link');
    if (stats.size > maxBytes) throw new Error(`has ${stats.size} bytes; at most ${maxBytes} are read`);
    return readBounded(file, maxBytes, stats.size);
  } finally {
    closeSync(file);
  }
}

/**
 * Reads a text file that a person wrote: a regular file of at most 1 MiB. The daemon reads such files while it works, and
 * a pipe or a device would block it forever. Throws an error that describes the problem, or the system's error.
 */
export function readSmallFile(path: string): string {
  return readRegularFile(path).toString('utf8');
}

/** Does not trust the reported size: the file may grow while it is read, and files of /proc report none. */
function readBounded(file: number, maxBytes: number, size: number): Buffer {
  const chunks: Buffer[] = [];
  const chunkBytes = Math.min(64 * 1024, (size || maxBytes) + 1);
  for (let total = 0; ; ) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const count = readSync(file, chunk);
    if (count === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, count));
    total += count;
    if (total > maxBytes) throw new Error(`has more than ${maxBytes} bytes, which is the limit`);
  }
}

/**
 * Writes a file with this content into a directory and replaces anything of the same name, also a link or a directory. The
 * directory is a real path and is verified after it was opened, so that the write cannot be redirected. A file created by
 * root gets the owner of the directory.
 */
export async function placeFile(directory: string, name: string, content: string | Buffer): Promise<void> {
  const handle = await open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : directory;
    if (base !== directory && readlinkSync(base) !== directory) throw new Error(`${directory} was replaced by a link`);
    const target = `${base}/${name}`;
    await rm(target, { recursive: true, force: true });
    const file = await open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
    try {
      const owner = await handle.stat();
      if (process.getuid?.() === 0 && owner.uid !== 0) await file.chown(owner.uid, owner.gid);
      await file.writeFile(content);
    } finally {
      await file.close();
    }
  } finally {
    await handle.close();
  }
}

/** The data directory of the embedded database: created once, and created again when its creation was interrupted. */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Creates ANIMUS_HOME and its `db`, both for this user only. Returns the path of `db`. */
export function makeDirectory(home: string): string {
  const directory = join(home, 'db');
  makePath(directory);
  chmodSync(directory, 0o700);
  return directory;
}

/** Step by step: Node's recursive mkdir reports ENOENT when the file system is read-only. */
function makePath(path: string): void {
  if (existsSync(path)) return;
  makePath(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it in between.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Call it under the lock, before PGlite opens the directory. An interrupted first start (killed, disk full) leaves an
 * incomplete cluster, on which PGlite fails. No client was ever connected to it, so it is removed. The marker file exists
 * beside the directory from before the first file until `markComplete`. A marker younger than the cluster does not belong to
 * its first start, and nothing is removed.
 */
export function prepareFirstStart(home: string, directory: string): void {
  const mark = join(home, FIRST_START);
  if (existsSync(mark) && !isOlder(join(directory, 'PG_VERSION'), mark)) {
    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true });
  }
  rmSync(mark, { force: true });
  if (readdirSync(directory).length === 0) writeFileSync(mark, '', { mode: 0o600 });
}

/** Compares ctime, which no program can set. False for a file that does not exist. */
function isOlder(path: string, than: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false, bigint: true });
  return file !== undefined && file.ctimeNs < statSync(than, { bigint: true }).ctimeNs;
}

/** Marks the cluster as complete: from here on it is never removed. */
export function markComplete(home: string): void {
  rmSync(join(home, FIRST_START), { force: true });
}

/** True when opening failed because too little space is left; PGlite's own error does not show it. */
export function isDiskFull(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize < ENOUGH_BYTES;
}

const FIRST_START = 'db.first-start';
/** A new cluster takes 40 MB, a WAL segment 16 MB. */
const ENOUGH_BYTES = 16 * 1024 * 1024;

/** The lock on the embedded database's directory. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Holds the directory until released, or until the process ends. */
export interface DirectoryLock {
  release(): void;
}

/**
 * Takes the lock of a home directory, or returns null when a live process has it. The lock is the operating system's own
 * (a POSIX file lock, which SQLite takes for us because Node has no call for it): it cannot be left behind by a process
 * that was killed, does not depend on pids, which repeat and differ between containers, and two racing processes are safe.
 */
export function lockDirectory(home: string): DirectoryLock | null {
  const file = new DatabaseSync(join(home, 'db.lock'));
  try {
    file.exec('pragma busy_timeout = 0; pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    file.close();
    if ((error as { errcode?: unknown }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
  return { release: () => file.close() };
}

const SQLITE_BUSY = 5;

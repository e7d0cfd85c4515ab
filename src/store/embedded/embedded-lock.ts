/** The lock on the embedded database's directory, and how to reach its owner. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';

/** How to reach the owner: the content of ANIMUS_HOME/embedded.json (mode 0600). */
export interface EmbeddedOwner {
  readonly port: number;
  readonly password: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly started: string;
}

const ownerSchema = z.object({ port: z.number(), password: z.string(), pid: z.number(), started: z.string() });

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

/** The last publication of an owner; null when there is none or it cannot be parsed. Its owner may no longer be running. */
export function readOwner(home: string): EmbeddedOwner | null {
  try {
    return ownerSchema.parse(JSON.parse(readFileSync(join(home, OWNER_FILE), 'utf8')));
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EACCES') throw error;
    return null;
  }
}

/** Publishes the owner; a reader sees the old file or the new one, never a part. */
export function writeOwner(home: string, owner: EmbeddedOwner): void {
  const temporary = join(home, `.${OWNER_FILE}.${process.pid}`);
  writeFileSync(temporary, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  renameSync(temporary, join(home, OWNER_FILE));
}

/** Removes the publication. */
export function removeOwner(home: string): void {
  rmSync(join(home, OWNER_FILE), { force: true });
}

const OWNER_FILE = 'embedded.json';

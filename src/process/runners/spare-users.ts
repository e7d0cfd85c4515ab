/**
 * Users without an account, each of which belongs to one directory: then every process of such a user belongs to what runs there, and all of them
 * can be killed at once. Which directory has which user is recorded on the host, in one link per user, so that no two daemons give out the same.
 */
import { execFile } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isWithin } from '../file-rules.ts';
import { systemProgram } from './start-gate.ts';
import type { User } from './user.ts';

/** The first of the spare users. Hardly any system allocates user ids in this range; each is checked before it is given out. */
export const FIRST_SPARE_UID = 1_900_000_000;
const SPARE_UIDS = 100_000_000;
const MAX_TRIES = 100;
/** A directory service that does not answer must not hold up the work. */
const ACCOUNT_MS = 2000;

/**
 * Gives a spare user to a directory; `number` says where the search begins. Skips users that another directory has, that have an account, and that
 * run something. Call it as root. The user is recorded until `freeSpareUser` or the next boot.
 */
export async function takeSpareUser(directory: string, number: number): Promise<User> {
  for (let tried = 0; tried < MAX_TRIES; tried += 1) {
    const uid = FIRST_SPARE_UID + ((number + tried) % SPARE_UIDS);
    // Given to it before: what runs as this user is its own.
    if (directoryOf(uid) === realOf(directory)) return { uid, gid: uid };
    if (runsSomething(uid) || (await hasAccount(uid))) continue;
    if (record(uid, directory)) return { uid, gid: uid };
  }
  throw new Error(`no spare user was found for ${directory}: ${MAX_TRIES} of them are in use`);
}

/** Records the user of a directory that has one again, after a boot. Does nothing if another directory has that user now. */
export function keepSpareUser(directory: string): void {
  const { uid } = lstatSync(directory);
  if (inRange(uid)) record(uid, directory);
}

/** Forgets the user of a directory, which may have been removed. Does nothing if another directory has that user. */
export function freeSpareUser(directory: string, uid: number): void {
  if (directoryOf(uid) === realOf(directory)) unlinkSync(join(placeOfRecords(), String(uid)));
}

/** Whether this user was given to a directory in which `place` is. False for an account that only has such a number. */
export function isSpareUserOf(place: string, uid: number): boolean {
  const directory = directoryOf(uid);
  return directory !== null && isWithin(directory, realpathSync(place));
}

/** False if another directory has the user. */
function record(uid: number, directory: string): boolean {
  const real = realOf(directory);
  try {
    symlinkSync(real, join(placeOfRecords(), String(uid)));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return directoryOf(uid) === real;
  }
}

function directoryOf(uid: number): string | null {
  if (!inRange(uid)) return null;
  try {
    return readlinkSync(join(placeOfRecords(), String(uid)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** `/run/animus-users`, which a boot empties, or a directory for temporary files where /run is read-only. Only root can write into it. */
function placeOfRecords(): string {
  for (const parent of ['/run', tmpdir()]) {
    const place = join(parent, 'animus-users');
    try {
      mkdirSync(place, { mode: 0o700 });
    } catch {
      // It is there, or cannot be made.
    }
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats?.isDirectory() && stats.uid === 0 && (stats.mode & 0o022) === 0) return place;
  }
  throw new Error('neither /run nor the directory for temporary files has room for the records of spare users');
}

/** The directory itself may be gone; what is above it may be a symbolic link, such as /tmp on some systems. */
function realOf(directory: string): string {
  return join(realpathSync(dirname(directory)), basename(directory));
}

function inRange(uid: number): boolean {
  return uid >= FIRST_SPARE_UID && uid < FIRST_SPARE_UID + SPARE_UIDS;
}

/** Also finds the users of daemons in other containers that share this host's processes. */
function runsSomething(uid: number): boolean {
  return readdirSync('/proc').some(
    (name) => /^\d+$/.test(name) && statSync(`/proc/${name}`, { throwIfNoEntry: false })?.uid === uid,
  );
}

/** Asks the directory of accounts, which may be a company's (SSSD and winbind use this range, too). */
function hasAccount(uid: number): Promise<boolean> {
  const getent = systemProgram('getent');
  if (getent === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    execFile(getent, ['passwd', String(uid)], { timeout: ACCOUNT_MS, env: {} }, (error) => resolve(error === null));
  });
}

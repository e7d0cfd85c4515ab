/** Distinguishes a secret that its owner replaced from one that was moved away. */
import { closeSync, fstatSync, openSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { AnimusError } from '../../core/errors/errors.ts';

/** Paths under observation; call `close` when done. */
export interface KnownFiles {
  /**
   * Where they are now, as real paths: of each that is there, and of what a rotation has left in its old place. Errors:
   * `files.displaced` when one that was there is gone or was moved, or when a file has a second, unknown name.
   */
  realPaths(): readonly string[];
  close(): void;
}

/** A path as configured, and what was found there. */
interface Known {
  readonly named: string;
  found: Found | null;
  /** Old files of rotations, possibly not removed yet. */
  before: Found[];
}

/** Kept open without read access, to find out later what happened to it. */
interface Found {
  readonly descriptor: number;
  readonly real: string;
}

/**
 * Linux's O_PATH, which Node does not export. On other systems nothing is kept open: only Linux can pin a directory of a
 * namespace.
 */
const O_PATH = process.platform === 'linux' ? 0o10000000 : null;

/** Records the paths now; missing ones are recorded when they appear. */
export function knowFiles(named: readonly string[]): KnownFiles {
  const known = named.map((path): Known => ({ named: path, found: find(path), before: [] }));
  return {
    realPaths: () => [...new Set(known.flatMap(whereNow))],
    close() {
      for (const { found, before } of known) for (const each of [found, ...before]) if (each) drop(each);
    },
  };
}

/**
 * A key is replaced by a rename over it, or by a changed symlink (as Kubernetes does). Then the old file is removed, or
 * still where it was. A directory is never replaced. A file that exists under another name was moved, and the file now in its place is a decoy.
 */
function whereNow(known: Known): readonly string[] {
  const { named, found } = known;
  if (O_PATH === null) return [realOf(named)].filter((path) => path !== null);
  if (found === null) {
    known.found = find(named);
    return known.found === null ? [] : [known.found.real];
  }
  const old = fstatSync(found.descriptor);
  const now = statSync(named, { throwIfNoEntry: false });
  if (now === undefined) throw displaced(named, 'it is gone', RESTORE);
  if (!isSame(old, now)) {
    if (old.nlink > 0 && !isAt(found.real, old)) {
      throw displaced(named, 'it was moved away', RESTORE, readlinkSync(`/proc/self/fd/${found.descriptor}`));
    }
    // Only files are rotated. Another directory in its place would be the next start's ANIMUS_HOME, for instance.
    if (old.isDirectory() && old.nlink > 0) {
      throw displaced(named, 'another directory has taken its place', RESTORE_LINK, found.real);
    }
    known.before.push(found);
    known.found = find(named);
  }
  if (now.isFile() && now.nlink > 1) throw displaced(named, `it has ${now.nlink} names (hard links)`, ONE_NAME);
  known.before = known.before.filter((left) => isAt(left.real, fstatSync(left.descriptor)) || drop(left));
  return [known.found, ...known.before].flatMap((each) => (each === null ? [] : [each.real]));
}

const RESTORE = 'Put it back; or remove what was moved, and restart animus';
const RESTORE_LINK = 'A symbolic link leads elsewhere now: restore it, or restart animus if this is your own change';
const ONE_NAME = 'Remove the others (find / -xdev -samefile FILE names them)';

function find(path: string): Found | null {
  const real = realOf(path);
  if (real === null) return null;
  return O_PATH === null ? { descriptor: -1, real } : { descriptor: openSync(real, O_PATH), real };
}

function drop({ descriptor }: Found): false {
  if (descriptor >= 0) closeSync(descriptor);
  return false;
}

function isAt(path: string, file: Stats): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  return there !== undefined && isSame(there, file);
}

function isSame(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/**
 * Null for a path that does not exist, or lies behind a directory that this user may not enter: commands of the same
 * user may not either.
 */
function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** `at`: where it is now; logged, and never shown to a model. */
function displaced(path: string, fault: string, remedy: string, at?: string): AnimusError {
  return new AnimusError('files.displaced', { path, fault, remedy, at });
}

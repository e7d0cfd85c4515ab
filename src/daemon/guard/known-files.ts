/** Tells a secret that was replaced by its owner from one that was moved out of the way. */
import { closeSync, fstatSync, openSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { AnimusError } from '../../core/errors/errors.ts';

/** Paths that are watched over; `close` when done. */
export interface KnownFiles {
  /**
   * Where they are now, as real paths: of each that is there, and of what a rotation has left in its old place. Errors:
   * `files.displaced` when one that was there is gone or was moved, or when a file has a second name, which nobody knows.
   */
  realPaths(): readonly string[];
  close(): void;
}

/** A path as it is named, and what has been found there. */
interface Known {
  readonly named: string;
  found: Found | null;
  /** Left by rotations, and perhaps not removed yet. */
  before: Found[];
}

/** Held open, without any right to read it: so it can be asked what has become of it. */
interface Found {
  readonly descriptor: number;
  readonly real: string;
}

/** Linux's O_PATH, which Node does not name. Elsewhere nothing is held: a directory of a namespace can only be pinned there. */
const O_PATH = process.platform === 'linux' ? 0o10000000 : null;

/** Looks at the paths now; those that are not there are taken up when they appear. */
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
 * A key is replaced by a rename over it, or by a link that leads elsewhere from now on (as Kubernetes does): then the old
 * file is removed, or still where it was. One that lives on under another name has been moved, and what is in its place
 * is a decoy.
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
    known.before.push(found);
    known.found = find(named);
  }
  if (now.isFile() && now.nlink > 1) throw displaced(named, `it has ${now.nlink} names (hard links)`, ONE_NAME);
  known.before = known.before.filter((left) => isAt(left.real, fstatSync(left.descriptor)) || drop(left));
  return [known.found, ...known.before].flatMap((each) => (each === null ? [] : [each.real]));
}

const RESTORE = 'Put it back; or remove what was moved, and restart animus';
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

/** Null for what is not there, or behind a directory that this user may not pass: commands run as he may not either. */
function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** `at`: where it is now, which is for the log and not for a model. */
function displaced(path: string, fault: string, remedy: string, at?: string): AnimusError {
  return new AnimusError('files.displaced', { path, fault, remedy, at });
}

/** The mounts that every command makes for itself, in its copy of the place: what no other command may share, and /proc. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isWithin } from '../file-rules.ts';
import { fstab } from '../mount-plan.ts';
import { readHostFiles } from './host-files.ts';

export interface OwnMounts {
  /** An open file in the format of fstab(5). */
  readonly table: number;
  /** Options, source and target of each mount that `mount --all` would skip. */
  readonly singly: readonly string[];
  /** Paths that must be read-only afterwards. */
  readonly readOnly: readonly string[];
  /** The limit of System V shared memory. */
  readonly sharedPages: string;
}

/**
 * `maxMemoryBytes` limits System V shared memory and a /dev/shm of the command's own, which ends with it: neither is in the resident memory of a
 * process. The host's /dev/shm stays where one of the paths that the command needs is in it.
 */
export function ownMounts(maxMemoryBytes: number, needed: readonly string[]): OwnMounts {
  const covers = process.getuid?.() === 0 ? coversOfProc() : { lines: [], singly: [], readOnly: [] };
  const options = `size=${maxMemoryBytes},mode=1777,nosuid,nodev`;
  const shared = hasSharedMemory(needed) ? [fstab(SHARED_MEMORY, '/dev/shm', 'tmpfs', options)] : [];
  const { singly, readOnly } = covers;
  const table = fileOf([...shared, ...covers.lines].map((line) => `${line}\n`).join(''));
  return { table, singly, readOnly, sharedPages: String(Math.ceil(maxMemoryBytes / 4096)) };
}

/** `mount --all` skips what it takes to be mounted already: no mount that this process inherits has this source. */
const SHARED_MEMORY = `shm-${randomUUID()}`;

function hasSharedMemory(needed: readonly string[]): boolean {
  const isNeeded = needed.some((path) => isWithin('/dev/shm', path));
  return !isNeeded && statSync('/dev/shm', { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Files of /proc that uid 0 can write without capabilities. With some of them a command could start programs outside the namespaces.
 * `mount --all` skips those that are mount points on the host.
 */
function coversOfProc(): Pick<OwnMounts, 'singly' | 'readOnly'> & { readonly lines: readonly string[] } {
  const host = readHostFiles();
  const readOnly = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus'].filter((path) => existsSync(path));
  const optionsOf = (path: string) => ['rbind', 'ro', ...host.flagsOf(path)].join(',');
  const { mounted = [], others = [] } = Object.groupBy(readOnly, (path) =>
    host.isMountPoint(path) ? 'mounted' : 'others',
  );
  return {
    readOnly,
    lines: others.map((path) => fstab(path, path, 'none', optionsOf(path))),
    singly: mounted.flatMap((path) => [optionsOf(path), path, path]),
  };
}

/** Kept open: one per limit of memory. */
const tables = new Map<string, number>();

/** A file without a name that contains the table: `mount` reads none from a pipe. */
function fileOf(table: string): number {
  const known = tables.get(table);
  if (known !== undefined) return known;
  const directory = mkdtempSync(join(tmpdir(), 'animus-mounts-'));
  try {
    writeFileSync(join(directory, 'fstab'), table);
    const opened = openSync(join(directory, 'fstab'), 'r');
    tables.set(table, opened);
    return opened;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/**
 * Measures memory that processes hold without mapping it: files in memory (memfd), deleted files of a tmpfs, and file systems
 * of type tmpfs that they mounted. It is in no process's resident memory. Linux only.
 */
import { readdirSync, readlinkSync, statfsSync, statSync } from 'node:fs';
import { readProc } from '../trace/process-table.ts';

/** What the whole host has in files in memory and in shared memory, in bytes; 0 if it is unknown. Cheap. */
export function sharedMemoryOfHost(): number {
  return Number(/^Shmem:\s+(\d+) kB$/m.exec(readProc('/proc/meminfo') ?? '')?.[1] ?? 0) * 1024;
}

/** From linux/magic.h. Files of memfd_create are on an internal tmpfs. */
const TMPFS_MAGIC = 0x01021994;
/** More descriptors and mounts than this are not looked at: a look may not take longer than about 0.2 seconds. */
const MAX_LOOKS = 20_000;

/** Returns the bytes that these processes hold together; each file and file system counts once. Expensive: reads every descriptor. */
export function heldMemory(pids: readonly number[]): number {
  const sizes = new Map<string, number>();
  const looks = { left: MAX_LOOKS };
  const own = new Set(tmpfsOf('self').map(({ device }) => device));
  const namespaces = new Set<string>();
  for (const pid of pids) {
    const namespace = valueOf(() => readlinkSync(`/proc/${pid}/ns/mnt`));
    if (namespace !== null && !namespaces.has(namespace)) {
      namespaces.add(namespace);
      const mounted = tmpfsOf(pid).filter(({ device }) => !own.has(device));
      for (const { device, point } of mounted) measure(sizes, looks, device, () => usedOn(`/proc/${pid}/root${point}`));
    }
    for (const fd of valueOf(() => readdirSync(`/proc/${pid}/fd`)) ?? []) {
      if (looks.left <= 0) break;
      const path = `/proc/${pid}/fd/${fd}`;
      const name = valueOf(() => readlinkSync(path)) ?? '';
      looks.left -= 1;
      if (!name.endsWith(' (deleted)')) continue;
      const stats = valueOf(() => statSync(path));
      if (stats === null || valueOf(() => statfsSync(path).type) !== TMPFS_MAGIC) continue;
      measure(sizes, looks, `${stats.dev}:${stats.ino}`, () => stats.blocks * 512);
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function measure(sizes: Map<string, number>, looks: { left: number }, key: string, size: () => number): void {
  if (sizes.has(key) || looks.left <= 0) return;
  looks.left -= 1;
  sizes.set(key, valueOf(size) ?? 0);
}

function usedOn(path: string): number {
  const { type, blocks, bfree, bsize } = statfsSync(path);
  return type === TMPFS_MAGIC ? (blocks - bfree) * bsize : 0;
}

/** The file systems of type tmpfs in the mount namespace of a process, by device number. */
function tmpfsOf(pid: number | 'self'): readonly { readonly device: string; readonly point: string }[] {
  return (readProc(`/proc/${pid}/mountinfo`) ?? '')
    .split('\n')
    .filter((line) => line.includes(' - tmpfs '))
    .map((line) => line.split(' '))
    .map(([, , device = '', , point = '']) => ({ device, point: unmangle(point) }));
}

/** Spaces and the like are octal numbers in mountinfo. */
function unmangle(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** Null for what is gone or may not be read. */
function valueOf<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Reads the host's processes from /proc; Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';

/** One process, from /proc/PID/stat. */
export interface ProcessEntry {
  readonly pid: number;
  /** A zombie: it holds nothing any more, and waits for its parent or, in a container without a reaper, for ever. */
  readonly dead: boolean;
  readonly parent: number;
  readonly pgid: number;
  readonly session: number;
  readonly threads: number;
  /** Clock ticks since boot; with the pid it names a process for good. */
  readonly startTicks: number;
}

/** How long the list is read at a stretch. */
const STRETCH_MS = 10;

/**
 * Every process of the host but this one and the kernel's own threads. A fork bomb can make it take seconds: so it lets
 * other work of this process pass in between.
 */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  const entries: ProcessEntry[] = [];
  let pauseAt = performance.now() + STRETCH_MS;
  for (const pid of readdirSync('/proc').map(Number)) {
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const entry = readProcess(pid);
    if (entry !== null && entry.parent !== KERNEL_THREADS) entries.push(entry);
    if (performance.now() < pauseAt) continue;
    await turnOfEventLoop();
    pauseAt = performance.now() + STRETCH_MS;
  }
  return entries;
}

/** One process; null when it is gone. */
export function readProcess(pid: number): ProcessEntry | null {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The second field is the name in parentheses and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    dead: fields[0] === 'Z' || fields[0] === 'X',
    parent: Number(fields[1]),
    pgid: Number(fields[2]),
    session: Number(fields[3]),
    threads: Number(fields[17]),
    startTicks: Number(fields[19]),
  };
}

/** Start of a live process in clock ticks since boot, 0 where that cannot be known. */
export function startTicksOf(pid: number): number {
  return readProcess(pid)?.startTicks ?? 0;
}

/**
 * Counts a process and its descendants, up to `limit`; a lower bound, for children of threads other than the first are
 * left out. It reads one file per process it counts, and none of the rest of the host.
 */
export function countTree(pid: number, limit: number): number {
  let count = 0;
  for (const open = [pid]; open.length > 0 && count < limit; count++) {
    const parent = open.pop()!;
    const children = readProc(`/proc/${parent}/task/${parent}/children`)?.trim();
    if (children) open.push(...children.split(' ').map(Number));
  }
  return count;
}

/** A file below /proc; null when the process is gone or not ours to read. */
export function readProc(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

/** Parent of all kernel threads, which come and go and have no environment. */
const KERNEL_THREADS = 2;

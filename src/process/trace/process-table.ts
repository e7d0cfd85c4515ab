/** Reads the host's processes from /proc; Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';

/** One process, from /proc/PID/stat. */
export interface ProcessEntry {
  readonly pid: number;
  /** True for a zombie: it only holds its pid until its parent reaps it, which may never happen in a container without a reaper. */
  readonly dead: boolean;
  readonly parent: number;
  readonly pgid: number;
  readonly session: number;
  readonly threads: number;
  /** Start time in clock ticks since boot. Together with the pid it identifies a process uniquely. */
  readonly startTicks: number;
}

/** How long the list is read before other work gets a turn. */
const STRETCH_MS = 10;

/**
 * Lists all processes of the host except this one and kernel threads. During a fork bomb this can take seconds, so it
 * yields to the event loop in between.
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

/** Reads one process; null if it is gone. */
export function readProcess(pid: number): ProcessEntry | null {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The second field is the name in parentheses, which may itself contain spaces and parentheses.
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

/** Returns the start time of a live process in clock ticks since boot; 0 if it is unknown. */
export function startTicksOf(pid: number): number {
  return readProcess(pid)?.startTicks ?? 0;
}

/**
 * Whether the process with this pid and start time (0: unknown) is alive, in the pid namespace of this process. Null if that cannot be told: `/proc` may hide
 * the processes of other users (`hidepid`, `ProtectProc` of systemd), and hosts other than Linux have none.
 */
export function isAlive(pid: number, startTicks: number): boolean | null {
  const entry = readProcess(pid);
  if (entry !== null) return !entry.dead && (startTicks === 0 || entry.startTicks === startTicks);
  return hasProcess(pid) ? null : false;
}

/** Whether there is a process with this pid. The kernel answers this, whatever /proc shows. */
export function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Only ESRCH says that there is none.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Counts a process and its descendants, up to `limit`. The count is a lower bound, because children of threads other than
 * the first are not included. Reads one file per counted process, and nothing of other processes.
 */
export function countTree(pid: number, limit: number): number {
  let count = 0;
  for (const open = [pid]; open.length > 0 && count < limit; count++) open.push(...childrenOf(open.pop()!));
  return count;
}

/** The youngest of a process and its descendants where each has at most one child. */
export function lastInLine(pid: number): number {
  const [child] = childrenOf(pid);
  return child === undefined ? pid : lastInLine(child);
}

/** The children of its first thread. While some of them end, others may be missing. */
function childrenOf(pid: number): readonly number[] {
  const children = readProc(`/proc/${pid}/task/${pid}/children`)?.trim();
  return children ? children.split(' ').map(Number) : [];
}

/** Reads a file below /proc; null if the process is gone or the file cannot be read. */
export function readProc(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Parent of all kernel threads, which come and go and have no environment. */
const KERNEL_THREADS = 2;

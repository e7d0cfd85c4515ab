/** Finds and kills what a run has started: its process group and, on Linux, whatever carries its marker. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAsUser, type User } from './as-user.ts';

/** The variable every child is marked with; the whole of its descent inherits it unless it takes pains not to. */
export const SPAWN_MARKER = 'ANIMUS_SPAWN_ID';

/** How a run's processes are told from all others. */
export interface RunTrace {
  /** Its process group, which is also the pid of its leader; null when it is not known that it started. */
  readonly pgid: number | null;
  /** Value of the marker, unique per run. */
  readonly spawnId: string;
  /** Start of its leader in clock ticks since boot, 0 when unknown: nothing older can be ours. */
  readonly startTicks: number;
  /** Whom it runs as, where that is another user than this process. */
  readonly user?: User;
}

/** After so many looks that found nothing, each later than the last, on a host that is never still. */
const ENOUGH_EMPTY_LOOKS = 6;

/**
 * Sends SIGKILL to all of a run until nothing of it is alive or `limitMs` have passed; resolves to the pids that are
 * left (in uninterruptible sleep, say). Zombies count as gone: their reaper may be slow or, in a container, missing.
 */
export async function killRun(trace: RunTrace, limitMs = 5000): Promise<readonly number[]> {
  const startedAt = performance.now();
  for (let pauseMs = 1, emptyLooks = 0; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    const { pids, certain } = killOnce(trace);
    emptyLooks = pids.length === 0 ? emptyLooks + 1 : 0;
    if (emptyLooks > 0 && (certain || emptyLooks >= ENOUGH_EMPTY_LOOKS)) return [];
    if (performance.now() - startedAt > limitMs) return pids;
    await sleep(pauseMs);
  }
}

/** What one look has found; when it is not certain, something may have slipped through between two of its steps. */
interface Look {
  readonly pids: readonly number[];
  readonly certain: boolean;
}

/** Start of a live process in clock ticks since boot, 0 where that cannot be known. */
export function startTicksOf(pid: number): number {
  return readStat(pid)?.startTicks ?? 0;
}

/** One wave; returns what was alive when it began. */
function killOnce(trace: RunTrace): Look {
  if (process.platform !== 'linux') {
    const alive = trace.pgid !== null && signal(-trace.pgid, 'SIGKILL');
    return { pids: alive ? [trace.pgid] : [], certain: true };
  }
  const look = findProcesses(trace);
  for (const pid of look.pids) signal(pid, 'SIGKILL');
  return look;
}

/**
 * The run's live processes, by /proc. A process may hand on to a child that is too new to be listed and exit before it
 * is looked at itself, and in the midst of an exec its environment reads as empty: so a look is certain only when the
 * host has created no process meanwhile and nobody's environment was empty.
 */
export function findProcesses(trace: RunTrace): Look {
  const lastPid = lastPidOfHost();
  const groupIsOurs = trace.pgid !== null && !isReused(trace.pgid, trace);
  const pids: number[] = [];
  const closed: number[] = [];
  let certain = true;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const stat = readStat(pid);
    if (!stat || stat.dead || stat.startTicks < trace.startTicks || stat.parent === KERNEL_THREADS) continue;
    const environment = readProc(`/proc/${pid}/environ`);
    if (environment === '') certain = false;
    if (environment === null && trace.user && ownerOf(pid) === trace.user.uid) closed.push(pid);
    const marked = environment?.split('\0').includes(`${SPAWN_MARKER}=${trace.spawnId}`) ?? false;
    if (marked || (groupIsOurs && stat.pgid === trace.pgid)) pids.push(pid);
  }
  if (trace.user && closed.length > 0) pids.push(...markedAmong(closed, trace.spawnId, trace.user));
  return { pids, certain: certain && lastPid === lastPidOfHost() };
}

/** Root without CAP_SYS_PTRACE, as in a container, may not read the environment of another user's process; that user may. */
function markedAmong(pids: readonly number[], spawnId: string, user: User): readonly number[] {
  const files = pids.map((pid) => `/proc/${pid}/environ`);
  const found = runAsUser('grep', ['-lzxFs', '-e', `${SPAWN_MARKER}=${spawnId}`, '--', ...files], user);
  return pids.filter((_, index) => found?.split('\n').includes(files[index]!));
}

function ownerOf(pid: number): number | null {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? null;
}

/** Parent of all kernel threads, which come and go and have no environment. */
const KERNEL_THREADS = 2;

/** The fifth field of loadavg is the pid that was given out last. */
function lastPidOfHost(): string {
  return readProc('/proc/loadavg')?.split(' ')[4] ?? '';
}

/** A group lives on without its leader, but a leader of another start means that the number went to somebody else. */
function isReused(pgid: number, trace: RunTrace): boolean {
  const leader = readStat(pgid);
  return leader !== null && trace.startTicks !== 0 && leader.startTicks !== trace.startTicks;
}

function readStat(pid: number): { dead: boolean; parent: number; pgid: number; startTicks: number } | null {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The second field is the name in parentheses and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const state = fields[0] ?? '';
  return {
    dead: state === 'Z' || state === 'X',
    parent: Number(fields[1]),
    pgid: Number(fields[2]),
    startTicks: Number(fields[19]),
  };
}

/** Null when the process is gone or not ours to look at. */
function readProc(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

/** False when there was nobody to send it to. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

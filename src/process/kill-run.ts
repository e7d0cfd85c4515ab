/** Finds and kills what a run has started: its process group and, on Linux, whatever carries its marker. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

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
}

/**
 * Sends SIGKILL to all of a run until nothing of it is alive or `limitMs` have passed; resolves to the pids that are
 * left (in uninterruptible sleep, say). Zombies count as gone: their reaper may be slow or, in a container, missing.
 */
export async function killRun(trace: RunTrace, limitMs = 5000): Promise<readonly number[]> {
  const startedAt = performance.now();
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    const alive = killOnce(trace);
    if (alive.length === 0) return [];
    if (performance.now() - startedAt > limitMs) return alive;
    await sleep(pauseMs);
  }
}

/** Start of a live process in clock ticks since boot, 0 where that cannot be known. */
export function startTicksOf(pid: number): number {
  return readStat(pid)?.startTicks ?? 0;
}

/** One wave; returns the pids that were alive when it began. */
function killOnce(trace: RunTrace): readonly number[] {
  const pids = findProcesses(trace);
  if (pids === null) return trace.pgid !== null && signal(-trace.pgid, 'SIGKILL') ? [trace.pgid] : [];
  for (const pid of pids) signal(pid, 'SIGKILL');
  return pids;
}

/** The run's live processes, or null where there is no /proc to read. */
export function findProcesses(trace: RunTrace): readonly number[] | null {
  if (process.platform !== 'linux') return null;
  const groupIsOurs = trace.pgid !== null && !isReused(trace.pgid, trace);
  const pids: number[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const stat = readStat(pid);
    if (!stat || stat.dead || stat.startTicks < trace.startTicks) continue;
    if ((groupIsOurs && stat.pgid === trace.pgid) || carriesMarker(pid, trace.spawnId)) pids.push(pid);
  }
  return pids;
}

/** A group lives on without its leader, but a leader of another start means that the number went to somebody else. */
function isReused(pgid: number, trace: RunTrace): boolean {
  const leader = readStat(pgid);
  return leader !== null && trace.startTicks !== 0 && leader.startTicks !== trace.startTicks;
}

function readStat(pid: number): { dead: boolean; pgid: number; startTicks: number } | null {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The second field is the name in parentheses and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const state = fields[0] ?? '';
  return { dead: state === 'Z' || state === 'X', pgid: Number(fields[2]), startTicks: Number(fields[19]) };
}

function carriesMarker(pid: number, spawnId: string): boolean {
  return readProc(`/proc/${pid}/environ`)?.split('\0').includes(`${SPAWN_MARKER}=${spawnId}`) ?? false;
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

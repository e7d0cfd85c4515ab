/** Identifies the processes that belong to a run. */

import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { User } from '../runners/user.ts';
import { processesInCgroup } from './cgroup-files.ts';
import { type ProcessEntry, readProcess } from './process-table.ts';

/** The environment variable that marks every child. All descendants inherit it unless they remove it. */
export const SPAWN_MARKER = 'ANIMUS_SPAWN_ID';

/** What is known about a run. */
export interface RunTrace {
  /** Its process group, which is also the pid of its leader; null if it is not known to have started. */
  readonly pgid: number | null;
  /** The value of the marker, unique per run. */
  readonly spawnId: string;
  /** Start time of its leader in clock ticks since boot, 0 if unknown. Older processes cannot belong to the run. */
  readonly startTicks: number;
  /** The user it runs as, if that is not the user of this process. */
  readonly user?: User;
  /** Its cgroup, if it has one. Every process in it belongs to the run, even without other marks. */
  readonly cgroup?: string;
}

/**
 * Returns the processes that belong to the run without reading their environments: those in its cgroup, its group or its
 * session, those that `isKnown` accepts, and all descendants of these. Fast even on a busy host, and never blocks.
 */
export function sureMembers(
  trace: RunTrace,
  processes: readonly ProcessEntry[],
  isKnown: (entry: ProcessEntry) => boolean = () => false,
): ReadonlyMap<number, ProcessEntry> {
  const inCgroup = new Set(trace.cgroup === undefined ? [] : processesInCgroup(trace.cgroup));
  const group = trace.pgid !== null && groupIsOurs(trace) ? trace.pgid : null;
  const candidates = processes.filter(({ startTicks }) => startTicks >= trace.startTicks);
  const isSure = (entry: ProcessEntry): boolean =>
    inCgroup.has(entry.pid) || (group !== null && (entry.pgid === group || entry.session === group)) || isKnown(entry);
  const found = new Map(candidates.filter(isSure).map((entry) => [entry.pid, entry]));
  const children = Map.groupBy(candidates, ({ parent }) => parent);
  const heads = [...found.keys()];
  for (let pid = heads.pop(); pid !== undefined; pid = heads.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (found.has(child.pid)) continue;
      found.set(child.pid, child);
      heads.push(child.pid);
    }
  }
  return found;
}

/** What a process's environment shows about the marker. */
export type Marked = 'ours' | 'stranger' | 'starting' | 'closed';

/**
 * Looks for the run's marker in a process's environment. Never blocks this thread: the kernel makes a reader wait while the
 * process forks, and on a busy host a fork can take seconds. `starting`: the environment is empty, as it is during an exec.
 * `closed`: it cannot be read, or the process is gone.
 */
export async function markOf({ spawnId }: RunTrace, pid: number): Promise<Marked> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => null);
  if (environment === null) return 'closed';
  if (environment === '') return 'starting';
  return environment.split('\0').includes(`${SPAWN_MARKER}=${spawnId}`) ? 'ours' : 'stranger';
}

/** Returns the user that a process runs as; null if the process is gone. */
export function ownerOf(pid: number): number | null {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? null;
}

/** A group can outlive its leader. But if the leader has another start time, the pid has been reused by another process. */
function groupIsOurs({ pgid, startTicks }: RunTrace): boolean {
  const leader = pgid === null ? null : readProcess(pgid);
  return leader === null || startTicks === 0 || leader.startTicks === startTicks;
}

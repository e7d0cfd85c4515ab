/** How the processes of a run are recognised. */

import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { User } from '../runners/as-user.ts';
import { processesInCgroup } from './cgroup-files.ts';
import { type ProcessEntry, readProcess } from './process-table.ts';

/** The variable every child is marked with; the whole of its descent inherits it unless it takes pains not to. */
export const SPAWN_MARKER = 'ANIMUS_SPAWN_ID';

/** What is known of a run. */
export interface RunTrace {
  /** Its process group, which is also the pid of its leader; null when it is not known that it started. */
  readonly pgid: number | null;
  /** Value of the marker, unique per run. */
  readonly spawnId: string;
  /** Start of its leader in clock ticks since boot, 0 when unknown: nothing older can be ours. */
  readonly startTicks: number;
  /** Whom it runs as, where that is another user than this process. */
  readonly user?: User;
  /** Its cgroup, where it has one: what is in it is its own, whatever it has rid itself of. */
  readonly cgroup?: string;
}

/**
 * The processes that are the run's without a look into them: of its cgroup, its group, its session, those that `isKnown`
 * knows, and every descendant of one of these. Quick on a busy host, and blocked by nothing.
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

/** What a look into a process's environment says of the marker. */
export type Marked = 'ours' | 'stranger' | 'starting' | 'closed';

/**
 * Looks for the run's marker in a process's environment. It never blocks this thread: the kernel lets a reader wait for a
 * process that forks, and one that gets no processor forks for seconds. `starting`: in the midst of an exec an environment
 * reads as empty. `closed`: it may not be read, or the process is gone.
 */
export async function markOf({ spawnId }: RunTrace, pid: number): Promise<Marked> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => null);
  if (environment === null) return 'closed';
  if (environment === '') return 'starting';
  return environment.split('\0').includes(`${SPAWN_MARKER}=${spawnId}`) ? 'ours' : 'stranger';
}

/** The user a process runs as; null when it is gone. */
export function ownerOf(pid: number): number | null {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? null;
}

/** A group lives on without its leader, but a leader of another start means that the number went to somebody else. */
function groupIsOurs({ pgid, startTicks }: RunTrace): boolean {
  const leader = pgid === null ? null : readProcess(pgid);
  return leader === null || startTicks === 0 || leader.startTicks === startTicks;
}

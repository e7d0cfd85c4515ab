/**
 * The cgroups (version 2) of one owner and its runs. The kernel enforces limits on them, and no process can escape from
 * killing a cgroup.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readFrom, removeCgroup, threadsInCgroup, writeTo } from '../trace/cgroup-files.ts';
import type { ProcessLimits, Resource } from './limits.ts';

/** The cgroup of one run, below that of its owner. */
export interface RunCgroup {
  /** Absolute path. */
  readonly path: string;
  /** The limit that the kernel has enforced on this run; null if none yet, and always null without controllers. */
  refused(): Resource | null;
  /** The current number of processes and threads in it. One quick read, even while a fork bomb makes scans of /proc slow. */
  tasks(): number;
  /** Removes it when the run is over. If processes are still alive in it, it is removed later: before the next one is made, or with its owner's cgroup. */
  remove(): void;
}

/** The cgroup of one owner, with the cgroups of its runs below it. */
export interface OwnerCgroup {
  /** Creates a cgroup for a run; null if that is not possible. */
  addRun(name: string): RunCgroup | null;
  /** Sets the limits that the kernel enforces on all of its runs together. Does nothing without controllers. */
  limit(limits: ProcessLimits): void;
  /** Removes it and the cgroups of its runs, except those in which processes are still alive. False if something is left. */
  remove(): boolean;
}

/** Creates the cgroup of an owner below `parent`; null if that is not permitted. `controlled`: `parent` provides the memory and pids controllers. */
export function makeOwnerCgroup(parent: string, name: string, controlled: boolean): OwnerCgroup | null {
  const path = join(parent, name);
  if (!makeCgroup(path)) return null;
  const held = controlled && writeTo(path, 'cgroup.subtree_control', '+memory +pids');
  const runs = new Set<string>();
  /** Those of runs that are over. */
  const over = new Set<string>();
  const removeRun = (own: string): void => {
    if (!removeCgroup(own)) return;
    runs.delete(own);
    over.delete(own);
  };
  return {
    addRun(run) {
      over.forEach(removeRun);
      const own = join(path, run);
      if (!makeCgroup(own)) return null;
      runs.add(own);
      // When a run is out of memory, the kernel kills all of it, not just one process.
      if (held) writeTo(own, 'memory.oom.group', '1');
      return {
        path: own,
        refused: () => (held ? refusedIn(own, path) : null),
        tasks: () => threadsInCgroup(own),
        remove() {
          over.add(own);
          removeRun(own);
        },
      };
    },
    limit({ memoryBytes, processes }) {
      if (!held) return;
      writeTo(path, 'memory.max', String(memoryBytes));
      writeTo(path, 'memory.swap.max', '0');
      writeTo(path, 'pids.max', String(processes));
    },
    remove() {
      runs.forEach(removeRun);
      return removeCgroup(path);
    },
  };
}

function makeCgroup(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST';
  }
}

/** The kernel counts a refused fork in the cgroup of the process; from Linux 6.10 on, in the cgroup that has the limit. */
function refusedIn(run: string, owner: string): Resource | null {
  if (countIn(run, 'memory.events', 'oom_kill') > 0) return 'memory';
  return countIn(run, 'pids.events', 'max') + countIn(owner, 'pids.events', 'max') > 0 ? 'processes' : null;
}

function countIn(path: string, file: string, event: string): number {
  const line = readFrom(path, file)
    ?.split('\n')
    .find((text) => text.startsWith(`${event} `));
  return Number(line?.slice(event.length + 1) ?? 0);
}

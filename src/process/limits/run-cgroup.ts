/**
 * The cgroups (version 2) of one owner and its runs: limits enforced by the kernel, and a kill that no process can
 * escape.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readFrom, removeCgroup, threadsInCgroup, writeTo } from '../trace/cgroup-files.ts';
import type { ProcessLimits, Resource } from './limits.ts';

/** The cgroup of one run, below that of its owner. */
export interface RunCgroup {
  /** Absolute. */
  readonly path: string;
  /** Which limit the kernel has enforced against it, null while none. Always null where it has no controllers. */
  refused(): Resource | null;
  /** Processes and threads that live in it now: one quick read, also while a fork bomb makes a search of /proc slow. */
  tasks(): number;
  /** When the run is over; what still lives in it keeps it until its owner's end. */
  remove(): void;
}

/** All of one owner. */
export interface OwnerCgroup {
  /** A cgroup for a run, or null where none can be made. */
  addRun(name: string): RunCgroup | null;
  /** Sets what the kernel enforces for all of its runs together; without controllers it does nothing. */
  limit(limits: ProcessLimits): void;
  /** Removes it with its runs'; what still lives in one keeps it. */
  remove(): void;
}

/** Makes the cgroup of an owner below `parent`; null where that is not permitted. `controlled`: memory and pids are there. */
export function makeOwnerCgroup(parent: string, name: string, controlled: boolean): OwnerCgroup | null {
  const path = join(parent, name);
  if (!makeCgroup(path)) return null;
  const held = controlled && writeTo(path, 'cgroup.subtree_control', '+memory +pids');
  const runs = new Set<string>();
  return {
    addRun(run) {
      const own = join(path, run);
      if (!makeCgroup(own)) return null;
      runs.add(own);
      // A run that is out of memory dies whole, not the process alone that asked last.
      if (held) writeTo(own, 'memory.oom.group', '1');
      return {
        path: own,
        refused: () => (held ? refusedIn(own, path) : null),
        tasks: () => threadsInCgroup(own),
        remove() {
          if (removeCgroup(own)) runs.delete(own);
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
      for (const run of runs) removeCgroup(run);
      removeCgroup(path);
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

/** A refused fork is counted where it was asked for or, from Linux 6.10 on, where the limit stands. */
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

/** Measures the resource usage of all active runs. If an owner exceeds a limit, stops the run that uses most. */

import { countTree, listProcesses, type ProcessEntry } from '../trace/process-table.ts';
import { ownerOf, type RunTrace } from '../trace/run-trace.ts';
import { heldMemory, sharedMemoryOfHost } from './held-memory.ts';
import { excessOf, type ProcessLimits, type Resource } from './limits.ts';
import { memoryOf } from './memory-use.ts';
import type { RunCgroup } from './run-cgroup.ts';
import { membersOf, type RunMembers } from './run-members.ts';

/** A run that is watched. */
export interface WatchedRun {
  readonly owner: string;
  readonly trace: RunTrace;
  /** The cgroup in which the kernel enforces the limits; if null, this watch enforces them. */
  readonly cgroup: RunCgroup | null;
  /** Kills the whole run. The problem completes the message "stopped: …". */
  stop(problem: string): void;
}

export interface LimitWatch {
  /** Watches a run until `remove`. */
  add(run: WatchedRun): void;
  remove(run: WatchedRun): void;
}

/** The pause between two counts of processes, which are cheap. */
const PAUSE_MS = 100;
/**
 * The longest pause between two scans of all processes of the host. A scan costs more when there are more processes, so
 * scans become rarer then, down to two per second. For that long, a command without a cgroup can exceed its limits.
 */
const LONGEST_PAUSE_MS = 500;
/** The share of one processor's time that scans may use. */
const SHARE = 1 / 20;

/** Creates a watch that checks only while it has runs, and only on systems with /proc. */
export function createLimitWatch(limitsOf: (owner: string) => ProcessLimits): LimitWatch {
  const runs = new Map<WatchedRun, RunMembers>();
  /** Runs that have been stopped. Their resources are freed soon; until then no other run of the owner is stopped. */
  const stopped = new WeakSet<WatchedRun>();
  let timer: NodeJS.Timeout | undefined;
  let scanning = false;
  let scanAt = 0;
  let leastShared = 0;

  const check = (): void => {
    const counts = [...runs.keys()].map((run) => countOf(run, limitsOf(run.owner).processes));
    if (!stopExcess(counts) && !scanning && performance.now() >= scanAt) void scan();
    schedule();
  };
  const scan = async (): Promise<void> => {
    scanning = true;
    const before = process.cpuUsage();
    const processes = await listProcesses();
    const shared = sharedMemoryOfHost();
    leastShared = Math.min(leastShared, shared);
    stopExcess(usesOf(runs, processes), shared - leastShared);
    // Use processor time: a fork bomb makes each scan take longer by the clock, and that must not make scans rarer.
    const { user, system } = process.cpuUsage(before);
    scanAt = performance.now() + Math.min(LONGEST_PAUSE_MS, (user + system) / 1000 / SHARE);
    scanning = false;
  };
  /** True if it has stopped a run. `grown`: by how much the shared memory of the host has grown while there were runs. */
  const stopExcess = (uses: readonly Use[], grown = 0): boolean => {
    let found = false;
    for (const [owner, own] of Map.groupBy(uses, ({ run }) => run.owner)) {
      if (own.some(({ run }) => stopped.has(run))) continue;
      const limits = limitsOf(owner);
      const excess = excessIn(own, limits, grown);
      if (excess === null) continue;
      found = true;
      stopped.add(excess.most.run);
      excess.most.run.stop(excessOf(excess.resource, limits, own.length === 1));
    }
    return found;
  };
  const schedule = (): void => {
    timer = runs.size === 0 ? undefined : setTimeout(check, PAUSE_MS);
  };

  return {
    add(run) {
      if (process.platform !== 'linux') return;
      if (runs.size === 0) leastShared = sharedMemoryOfHost();
      runs.set(run, membersOf(run.trace));
      if (timer === undefined) schedule();
    },
    remove: (run) => void runs.delete(run),
  };
}

/** The current usage of a run. */
interface Use {
  readonly run: WatchedRun;
  readonly tasks: number;
  /** Empty if processes were only counted. */
  readonly members: readonly ProcessEntry[];
}

/** The usage that is known without a scan of all processes: the tasks in the cgroup or, without one, the descendants of the leader. */
function countOf(run: WatchedRun, limit: number): Use {
  const { cgroup, trace } = run;
  return { run, tasks: cgroup?.tasks() ?? (trace.pgid === null ? 0 : countTree(trace.pgid, limit)), members: [] };
}

function usesOf(runs: ReadonlyMap<WatchedRun, RunMembers>, processes: readonly ProcessEntry[]): readonly Use[] {
  const found = [...runs].map(([run, members]) => ({ run, members: members(processes) }));
  const taken = new Set(found.flatMap(({ members }) => members.map(({ pid }) => pid)));
  return found.map(({ run, members }) => {
    const own = [...members, ...straysOf(run, processes, taken)];
    return { run, members: own, tasks: own.reduce((sum, { threads }) => sum + threads, 0) };
  });
}

/** Processes of a run's spare user that belong to no other run. They are its own, even if they have removed all other marks. */
function straysOf({ trace: { user } }: WatchedRun, processes: readonly ProcessEntry[], taken: Set<number>) {
  if (!user?.isSpare) return [];
  const strays = processes.filter(({ pid }) => !taken.has(pid) && ownerOf(pid) === user.uid);
  for (const { pid } of strays) taken.add(pid);
  return strays;
}

/** Files in memory are looked at, which is expensive, once the host's shared memory has grown by this part of a limit. */
const HELD_PART = 1 / 4;

/** The limit that these runs of one owner exceed together, and the run that uses most of it. */
function excessIn(
  uses: readonly Use[],
  limits: ProcessLimits,
  grown: number,
): { resource: Resource; most: Use } | null {
  const refused = uses.find(({ run }) => run.cgroup?.refused() != null);
  if (refused !== undefined) return { resource: refused.run.cgroup!.refused()!, most: refused };
  const tasks = uses.reduce((sum, use) => sum + use.tasks, 0);
  // At the limit counts as excess: if the kernel enforces this limit, usage can reach but never exceed it.
  if (tasks >= limits.processes) return { resource: 'processes', most: mostBy(uses, (use) => use.tasks) };
  const looksAtHeld = grown >= limits.memoryBytes * HELD_PART;
  const memory = uses.map(pidsOf).map((pids) => memoryOf(pids, limits.memoryBytes, looksAtHeld ? heldMemory(pids) : 0));
  if (memory.reduce((sum, bytes) => sum + bytes, 0) <= limits.memoryBytes) return null;
  return { resource: 'memory', most: mostBy(uses, (use) => memory[uses.indexOf(use)]!) };
}

function pidsOf({ members }: Use): readonly number[] {
  return members.map(({ pid }) => pid);
}

function mostBy(uses: readonly Use[], amount: (use: Use) => number): Use {
  return uses.reduce((most, use) => (amount(use) > amount(most) ? use : most));
}

/** Finds and kills all processes of a run: its process group and, on Linux, every process with its marker or in its cgroup. */
import { setTimeout as sleep } from 'node:timers/promises';
import { runAsUser } from '../runners/as-user.ts';
import type { User } from '../runners/user.ts';
import { killCgroup } from './cgroup-files.ts';
import { listProcesses, type ProcessEntry, readProc } from './process-table.ts';
import { markOf, ownerOf, type RunTrace, SPAWN_MARKER, sureMembers } from './run-trace.ts';

/** After this many empty scans in a row a run counts as gone, even if the host creates processes all the time. */
const ENOUGH_EMPTY_SCANS = 6;

/**
 * Sends SIGKILL to all processes of a run until none is alive or `limitMs` have passed. Resolves to the pids that are still
 * alive (in uninterruptible sleep, for example). Zombies count as gone: their parent may be slow to reap them, and a
 * container may have no reaper.
 */
export async function killRun(trace: RunTrace, limitMs = 5000): Promise<readonly number[]> {
  const startedAt = performance.now();
  for (let pauseMs = 1, emptyScans = 0; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    const { pids, certain } = await killOnce(trace);
    emptyScans = pids.length === 0 ? emptyScans + 1 : 0;
    if (emptyScans > 0 && (certain || emptyScans >= ENOUGH_EMPTY_SCANS)) return [];
    if (performance.now() - startedAt > limitMs) return pids;
    await sleep(pauseMs);
  }
}

/** The result of one scan. If it is not certain, a process may have been missed between two steps of the scan. */
interface Scan {
  readonly pids: readonly number[];
  readonly certain: boolean;
}

/** Kills all processes that one scan finds, and returns what was alive when it began. */
async function killOnce(trace: RunTrace): Promise<Scan> {
  if (process.platform !== 'linux') {
    const alive = trace.pgid !== null && signal(-trace.pgid, 'SIGKILL');
    return { pids: alive ? [trace.pgid] : [], certain: true };
  }
  if (trace.cgroup !== undefined) killCgroup(trace.cgroup);
  // All these process groups belong to the run. One signal kills a whole group, no matter how fast it forks.
  return findProcesses(trace, ({ pid, pgid }) => {
    if (pgid > 1) signal(-pgid, 'SIGKILL');
    signal(pid, 'SIGKILL');
  });
}

/**
 * Finds the run's live processes in /proc, and calls `onFound` for each as soon as it is identified. A scan can miss
 * processes: one may fork a child that is not listed yet and exit before it is examined, and during an exec its environment
 * reads as empty. So a scan is certain only if the host created no process meanwhile and no environment was empty.
 */
export async function findProcesses(trace: RunTrace, onFound: (entry: ProcessEntry) => void = () => {}): Promise<Scan> {
  const lastPid = lastPidOfHost();
  const processes = (await listProcesses()).filter(({ dead, startTicks }) => !dead && startTicks >= trace.startTicks);
  const sure = sureMembers(trace, processes);
  const pids = [...sure.keys()];
  sure.forEach(onFound);
  let certain = true;
  const closed: number[] = [];
  const others = processes.filter(({ pid }) => !sure.has(pid));
  await Promise.all(
    others.map(async (entry) => {
      const mark = await markOf(trace, entry.pid);
      if (mark === 'starting') certain = false;
      if (mark === 'closed' && trace.user && ownerOf(entry.pid) === trace.user.uid) closed.push(entry.pid);
      if (mark !== 'ours') return;
      pids.push(entry.pid);
      onFound(entry);
    }),
  );
  const marked = new Set(trace.user && closed.length > 0 ? markedAmong(closed, trace.spawnId, trace.user) : []);
  for (const entry of others.filter(({ pid }) => marked.has(pid))) {
    pids.push(entry.pid);
    onFound(entry);
  }
  return { pids, certain: certain && lastPid === lastPidOfHost() };
}

/** Reads environments as their own user: root without CAP_SYS_PTRACE (as in a container) cannot read those of other users' processes. */
function markedAmong(pids: readonly number[], spawnId: string, user: User): readonly number[] {
  const files = pids.map((pid) => `/proc/${pid}/environ`);
  const found = runAsUser('grep', ['-lzxFs', '-e', `${SPAWN_MARKER}=${spawnId}`, '--', ...files], user);
  return pids.filter((_, index) => found?.split('\n').includes(files[index]!));
}

/** The fifth field of loadavg is the most recently assigned pid. */
function lastPidOfHost(): string {
  return readProc('/proc/loadavg')?.split(' ')[4] ?? '';
}

/** Sends a signal; false if there was no process to receive it. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

/** Finds and kills all processes of a run: its process group and, on Linux, every process with its marker or in its cgroup. */
import { setTimeout as sleep } from 'node:timers/promises';
import { runAsUser, type User } from '../runners/as-user.ts';
import { killCgroup } from './cgroup-files.ts';
import { listProcesses, type ProcessEntry, readProc } from './process-table.ts';
import { markOf, ownerOf, type RunTrace, SPAWN_MARKER, sureMembers } from './run-trace.ts';

/** After so many looks that found nothing, each later than the last, on a host that is never still. */
const ENOUGH_EMPTY_LOOKS = 6;

/**
 * Sends SIGKILL to all of a run until nothing of it is alive or `limitMs` have passed; resolves to the pids that are
 * left (in uninterruptible sleep, say). Zombies count as gone: their reaper may be slow or, in a container, missing.
 */
export async function killRun(trace: RunTrace, limitMs = 5000): Promise<readonly number[]> {
  const startedAt = performance.now();
  for (let pauseMs = 1, emptyLooks = 0; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    const { pids, certain } = await killOnce(trace);
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

/** One wave; returns what was alive when it began. */
async function killOnce(trace: RunTrace): Promise<Look> {
  if (process.platform !== 'linux') {
    const alive = trace.pgid !== null && signal(-trace.pgid, 'SIGKILL');
    return { pids: alive ? [trace.pgid] : [], certain: true };
  }
  if (trace.cgroup !== undefined) killCgroup(trace.cgroup);
  // All of these sessions are the run's own. A group dies at one stroke, however fast it forks.
  return findProcesses(trace, ({ pid, pgid }) => {
    if (pgid > 1) signal(-pgid, 'SIGKILL');
    signal(pid, 'SIGKILL');
  });
}

/**
 * The run's live processes, by /proc; each is handed to `onFound` as soon as it is known to be one. A process may hand on
 * to a child that is too new to be listed and exit before it is looked at itself, and in the midst of an exec its
 * environment reads as empty: so a look is certain only when the host has created no process meanwhile and nobody's
 * environment was empty.
 */
export async function findProcesses(trace: RunTrace, onFound: (entry: ProcessEntry) => void = () => {}): Promise<Look> {
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

/** Root without CAP_SYS_PTRACE, as in a container, may not read the environment of another user's process; that user may. */
function markedAmong(pids: readonly number[], spawnId: string, user: User): readonly number[] {
  const files = pids.map((pid) => `/proc/${pid}/environ`);
  const found = runAsUser('grep', ['-lzxFs', '-e', `${SPAWN_MARKER}=${spawnId}`, '--', ...files], user);
  return pids.filter((_, index) => found?.split('\n').includes(files[index]!));
}

/** The fifth field of loadavg is the pid that was given out last. */
function lastPidOfHost(): string {
  return readProc('/proc/loadavg')?.split(' ')[4] ?? '';
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

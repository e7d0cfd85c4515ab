/** The daemon's side of the supervisor: starts it with the first run, relays runs, and cleans up should it die. */
import { randomUUID } from 'node:crypto';
import { killRun, type RunTrace } from './kill-run.ts';
import { NO_OUTPUT } from './output-capture.ts';
import type { ProcessHost, ProcessOwner, ProcessResult, ProcessSpec } from './process-host.ts';
import { clampTimer, NOT_STARTED } from './supervised-run.ts';
import { type SupervisorLink, startSupervisor } from './supervisor-link.ts';
import { type FromSupervisor, hostMs } from './supervisor-protocol.ts';

/** Where the host tells what an operator may want to know; fields hold no secrets. */
export type ProcessLog = (level: 'info' | 'warn', message: string, fields: Readonly<Record<string, unknown>>) => void;

/** Settings of a process host. */
export interface ProcessHostOptions {
  readonly log?: ProcessLog;
  /** Between SIGTERM and SIGKILL when a run times out or is aborted; default 2,000. */
  readonly graceMs?: number;
  /** Beyond time-out and grace: how long the supervisor may take to report before it counts as hung; default 10,000. */
  readonly watchdogMs?: number;
}

interface PendingRun {
  readonly spec: ProcessSpec;
  readonly startedAt: number;
  trace: RunTrace;
  settle(result: ProcessResult): void;
}

/**
 * A process host with one supervisor process, which is started by the first `run`, again after it has died, and ended by
 * `stop`. Runs are independent of each other; any number may be under way.
 */
export function createProcessHost(options: ProcessHostOptions = {}): ProcessHost {
  const log: ProcessLog = options.log ?? (() => {});
  const graceMs = options.graceMs ?? 2000;
  const watchdogMs = options.watchdogMs ?? 10_000;
  const runs = new Map<number, PendingRun>();
  const kills = new Map<number, () => void>();
  const deadlines = new Map<ProcessOwner, number>();
  const cleanups = new Set<Promise<void>>();
  let link: SupervisorLink | null = null;
  let stopped = false;
  let lastId = 0;

  const connect = (): SupervisorLink => {
    if (link) return link;
    const started = startSupervisor({ receive, ended: (detail) => lost(started, detail) });
    link = started;
    // What an earlier supervisor knew, a new one has to be told.
    for (const [owner, atMs] of deadlines) started.send({ type: 'deadline', owner, atMs });
    return started;
  };

  const receive = (message: FromSupervisor): void => {
    const run = message.type === 'killed' ? undefined : runs.get(message.id);
    switch (message.type) {
      case 'started':
        if (run) run.trace = { ...run.trace, pgid: message.pgid, startTicks: message.startTicks };
        return;
      case 'ended':
        return run?.settle(message.result);
      case 'killed':
        return kills.get(message.id)?.();
      default:
        throw new Error(`unknown message ${JSON.stringify(message satisfies never)}`);
    }
  };

  /** The supervisor is gone: nobody but us is left to kill what it had running. */
  const lost = (which: SupervisorLink, detail: string): void => {
    if (link !== which) return;
    link = null;
    const orphans = [...runs.values()];
    if (!stopped || orphans.length > 0) log('warn', 'the process supervisor ended', { detail, runs: orphans.length });
    const cleanup = cleanUp(orphans, detail).finally(() => cleanups.delete(cleanup));
    cleanups.add(cleanup);
  };

  const cleanUp = async (orphans: readonly PendingRun[], detail: string): Promise<void> => {
    await Promise.all(
      orphans.map(async (run) => {
        const left = await killRun(run.trace);
        run.settle(cutOff(run, `the process supervisor ended (${detail}) and the command was killed`, left));
      }),
    );
    for (const done of kills.values()) done();
  };

  const run = (spec: ProcessSpec, signal: AbortSignal): Promise<ProcessResult> => {
    if (stopped)
      return Promise.resolve({ ...NOT_STARTED, problem: 'the process host has been stopped', durationMs: 0 });
    if (signal.aborted)
      return Promise.resolve({ ...NOT_STARTED, ended: 'aborted', problem: 'aborted before it started', durationMs: 0 });
    const id = ++lastId;
    const spawnId = randomUUID();
    return new Promise((resolve) => {
      const current = connect();
      const abort = (): void => current.send({ type: 'abort', id });
      const watchdog = watch(current, spec.timeoutMs + graceMs + watchdogMs);
      const settle = (result: ProcessResult): void => {
        clearTimeout(watchdog.timer);
        signal.removeEventListener('abort', abort);
        runs.delete(id);
        if (runs.size === 0) link?.unref();
        resolve(result);
      };
      runs.set(id, { spec, startedAt: performance.now(), trace: { pgid: null, spawnId, startTicks: 0 }, settle });
      current.ref();
      current.send({ type: 'run', id, spawnId, graceMs, spec });
      signal.addEventListener('abort', abort, { once: true });
    });
  };

  const killAll = async (owner: ProcessOwner): Promise<void> => {
    deadlines.delete(owner);
    const current = link;
    if (current) {
      const id = ++lastId;
      await new Promise<void>((resolve) => {
        kills.set(id, () => {
          kills.delete(id);
          resolve();
        });
        current.send({ type: 'kill_all', id, owner });
      });
    }
    await Promise.all(cleanups);
  };

  return {
    start: async () => {
      stopped = false;
    },
    stop: async () => {
      stopped = true;
      await link?.stop();
      await Promise.all(cleanups);
    },
    run,
    setDeadline(owner, ms) {
      const atMs = hostMs() + ms;
      deadlines.set(owner, atMs);
      link?.send({ type: 'deadline', owner, atMs });
    },
    killAll,
  };
}

/** A supervisor that is frozen cannot keep time-outs: kill it, and its end is handled like any other. */
function watch(watched: SupervisorLink, ms: number): { timer: NodeJS.Timeout } {
  const handle = { timer: setTimeout(secondLook, clampTimer(ms)) };
  // If we ourselves were frozen, the report is waiting to be read: give it a turn before judging.
  function secondLook(): void {
    handle.timer = setTimeout(() => watched.kill(), 2000);
  }
  return handle;
}

function cutOff(run: PendingRun, why: string, left: readonly number[]): ProcessResult {
  const problem = left.length > 0 ? `${why}; could not be killed: process ${left.join(', ')}` : why;
  const durationMs = performance.now() - run.startedAt;
  return { ended: 'aborted', exitCode: null, signal: null, stdout: NO_OUTPUT, stderr: NO_OUTPUT, durationMs, problem };
}

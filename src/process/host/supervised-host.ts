/** The daemon's side of the supervisor: starts it with the first run, sends it runs, and cleans up if it dies. */
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { removeCgroupPlace } from '../limits/cgroup-place.ts';
import type { ProcessLimits } from '../limits/limits.ts';
import type { ProcessHost, ProcessOwner, ProcessResult, ProcessSpec } from '../process-host.ts';
import { killAllOf } from '../runners/as-user.ts';
import { clampTimer } from '../supervisor/after-events.ts';
import { NOT_STARTED } from '../supervisor/supervised-run.ts';
import { type FromSupervisor, hostMs } from '../supervisor/supervisor-protocol.ts';
import { killRun } from '../trace/kill-run.ts';
import type { RunTrace } from '../trace/run-trace.ts';
import { type SupervisorEnd, type SupervisorLink, startSupervisor } from './supervisor-link.ts';

/** The log for operators; fields must not contain secrets. */
export type ProcessLog = (level: 'info' | 'warn', message: string, fields: Readonly<Record<string, unknown>>) => void;

/** Settings of a process host. */
export interface ProcessHostOptions {
  readonly log?: ProcessLog;
  /** Time between SIGTERM and SIGKILL when a run times out or is aborted; default 2,000. */
  readonly graceMs?: number;
  /** How long after time-out and grace the supervisor may take to report before it is considered hung; default 10,000. */
  readonly watchdogMs?: number;
  /** Whether each run gets its own cgroup, if the host has cgroup v2; default true. */
  readonly cgroups?: boolean;
}

interface PendingRun {
  readonly startedAt: number;
  trace: RunTrace;
  settle(result: ProcessResult): void;
}

/**
 * Creates a process host with one supervisor process. The first `run` starts the supervisor, the next `run` restarts it if
 * it has died, and `stop` ends it. Any number of runs can be active, independently of each other. The host keeps the
 * daemon's event loop alive only while a run is active.
 */
export function createProcessHost(options: ProcessHostOptions = {}): ProcessHost {
  return new SupervisedHost({ log: () => {}, graceMs: 2000, watchdogMs: 10_000, cgroups: true, ...options });
}

class SupervisedHost implements ProcessHost {
  readonly #options: Required<ProcessHostOptions>;
  readonly #runs = new Map<number, PendingRun>();
  readonly #kills = new Map<number, () => void>();
  /** Times of the host's monotonic clock; sent again to a restarted supervisor. */
  readonly #deadlines = new Map<ProcessOwner, number>();
  readonly #limits = new Map<ProcessOwner, ProcessLimits>();
  readonly #cleanups = new Set<Promise<void>>();
  #supervisor: SupervisorLink | null = null;
  #stopped = false;
  #lastId = 0;

  constructor(options: Required<ProcessHostOptions>) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#stopped = false;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#supervisor?.stop();
    await Promise.all(this.#cleanups);
  }

  run(spec: ProcessSpec, signal: AbortSignal): Promise<ProcessResult> {
    if (this.#stopped)
      return Promise.resolve({ ...NOT_STARTED, ended: 'unavailable', problem: 'the process host has been stopped' });
    if (signal.aborted)
      return Promise.resolve({ ...NOT_STARTED, ended: 'aborted', problem: 'aborted before it started' });
    const { graceMs, watchdogMs } = this.#options;
    const supervisor = this.#connect();
    const id = ++this.#lastId;
    const trace: RunTrace = { pgid: null, spawnId: randomUUID(), startTicks: 0 };
    return new Promise((resolve) => {
      const abort = (): void => supervisor.send({ type: 'abort', id });
      const watchdog = watch(supervisor, spec.timeoutMs + graceMs + watchdogMs);
      const settle = (result: ProcessResult): void => {
        clearTimeout(watchdog.timer);
        signal.removeEventListener('abort', abort);
        this.#runs.delete(id);
        if (this.#runs.size === 0) this.#supervisor?.unref();
        resolve(result);
      };
      this.#runs.set(id, { startedAt: performance.now(), trace, settle });
      supervisor.ref();
      supervisor.send({ type: 'run', id, spawnId: trace.spawnId, graceMs, spec });
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  setDeadline(owner: ProcessOwner, ms: number): void {
    const atMs = hostMs() + ms;
    this.#deadlines.set(owner, atMs);
    this.#supervisor?.send({ type: 'deadline', owner, atMs });
  }

  setLimits(owner: ProcessOwner, limits: ProcessLimits): void {
    this.#limits.set(owner, limits);
    this.#supervisor?.send({ type: 'limits', owner, limits });
  }

  async killAll(owner: ProcessOwner): Promise<void> {
    this.#deadlines.delete(owner);
    this.#limits.delete(owner);
    const supervisor = this.#supervisor;
    if (supervisor) {
      const id = ++this.#lastId;
      const watchdog = watch(supervisor, this.#options.watchdogMs);
      await new Promise<void>((resolve) => {
        this.#kills.set(id, resolve);
        supervisor.send({ type: 'kill_all', id, owner });
      });
      clearTimeout(watchdog.timer);
      this.#kills.delete(id);
    }
    await Promise.all(this.#cleanups);
  }

  #connect(): SupervisorLink {
    if (this.#supervisor) return this.#supervisor;
    const supervisor = startSupervisor(
      {
        receive: (message) => this.#receive(message),
        ended: (end) => this.#lost(end),
      },
      this.#options.cgroups ? [] : ['--no-cgroups'],
    );
    this.#supervisor = supervisor;
    for (const [owner, atMs] of this.#deadlines) supervisor.send({ type: 'deadline', owner, atMs });
    for (const [owner, limits] of this.#limits) supervisor.send({ type: 'limits', owner, limits });
    return supervisor;
  }

  #receive(message: FromSupervisor): void {
    switch (message.type) {
      case 'started': {
        const run = this.#runs.get(message.id);
        if (!run) return;
        const { type: _, id: __, ...found } = message;
        run.trace = { ...run.trace, ...found };
        return;
      }
      case 'ended':
        return this.#runs.get(message.id)?.settle(message.result);
      case 'killed':
        return this.#kills.get(message.id)?.();
      default:
        throw new Error(`unknown message ${JSON.stringify(message satisfies never)}`);
    }
  }

  /** The supervisor has ended, so only this process can kill its runs now. */
  #lost(end: SupervisorEnd): void {
    this.#supervisor = null;
    const orphans = [...this.#runs.values()];
    if (!this.#stopped || orphans.length > 0) {
      this.#options.log('warn', 'the process supervisor ended', { detail: end.detail, runs: orphans.length });
    }
    const cleanup = this.#cleanUp(orphans, end).finally(() => this.#cleanups.delete(cleanup));
    this.#cleanups.add(cleanup);
  }

  async #cleanUp(orphans: readonly PendingRun[], end: SupervisorEnd): Promise<void> {
    const kills = [...this.#kills.values()];
    // Do this first, before anything new can run as one of these users.
    const users = new Map(orphans.flatMap(({ trace: { user } }) => (user ? [[user.uid, user]] : [])));
    if (end.started) for (const user of users.values()) killAllOf(user);
    await Promise.all(orphans.map((run) => cutOff(run, end)));
    // A run's cgroup is below its owner's, which is below the supervisor's. The supervisor's must be removed here.
    const [cgroup] = orphans.flatMap(({ trace }) => trace.cgroup ?? []);
    if (cgroup !== undefined) removeCgroupPlace(dirname(dirname(cgroup)));
    for (const done of kills) done();
  }
}

async function cutOff(run: PendingRun, { started, detail }: SupervisorEnd): Promise<void> {
  const durationMs = () => performance.now() - run.startedAt;
  if (!started) {
    const problem = `the process supervisor cannot be started: ${detail}`;
    return run.settle({ ...NOT_STARTED, ended: 'unavailable', problem, durationMs: durationMs() });
  }
  const left = await killRun(run.trace);
  const fate = run.trace.pgid === null ? 'the command, if it had started, was killed' : 'the command was killed';
  const leftOver = left.length > 0 ? `; could not be killed: process ${left.join(', ')}` : '';
  const problem = `the process supervisor ended (${detail}) and ${fate}${leftOver}`;
  run.settle({ ...NOT_STARTED, ended: 'interrupted', problem, durationMs: durationMs() });
}

/** Kills a frozen supervisor, which cannot enforce time-outs. Its end is then handled like any other. */
function watch(supervisor: SupervisorLink, ms: number): { timer: NodeJS.Timeout } {
  const watchdog = { timer: setTimeout(checkAgain, clampTimer(ms)) };
  // If this process itself was frozen, the report may be waiting in the pipe: read it first.
  function checkAgain(): void {
    watchdog.timer = setTimeout(() => supervisor.kill(), 2000);
  }
  return watchdog;
}

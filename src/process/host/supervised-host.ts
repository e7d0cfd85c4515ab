/** The daemon's side of the supervisor: starts it with the first run, sends it runs, and cleans up if it dies. */
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { removeCgroupPlace } from '../limits/cgroup-place.ts';
import type { ProcessLimits } from '../limits/limits.ts';
import type {
  LaunchedProcess,
  LaunchSpec,
  ProcessEnd,
  ProcessHost,
  ProcessOwner,
  ProcessResult,
  ProcessSpec,
} from '../process-host.ts';
import { killAllOf } from '../runners/as-user.ts';
import { NOT_STARTED } from '../supervisor/supervised-run.ts';
import { type FromSupervisor, type HostMoment, hostMoment } from '../supervisor/supervisor-protocol.ts';
import type { RunTrace } from '../trace/run-trace.ts';
import { createStreams, type LaunchStreams, neverLaunched } from './launch-streams.ts';
import { cutOff, type PendingRun } from './pending-run.ts';
import { type SupervisorEnd, type SupervisorLink, startSupervisor } from './supervisor-link.ts';
import { watch } from './supervisor-watchdog.ts';

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
  readonly #deadlines = new Map<ProcessOwner, HostMoment>();
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
    return new Promise((resolve) => {
      const abort = (): void => supervisor.send({ type: 'abort', id });
      const watchdog = watch(supervisor, spec.timeoutMs + graceMs + watchdogMs);
      const spawnId = this.#add(id, null, (result) => {
        clearTimeout(watchdog.timer);
        signal.removeEventListener('abort', abort);
        resolve(result);
      });
      supervisor.ref();
      supervisor.send({ type: 'run', id, spawnId, graceMs, spec });
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  launch(spec: LaunchSpec, signal: AbortSignal): LaunchedProcess {
    if (this.#stopped) return neverLaunched(spec, 'unavailable', 'the process host has been stopped');
    if (signal.aborted) return neverLaunched(spec, 'aborted', 'aborted before it started');
    const { graceMs, watchdogMs } = this.#options;
    const supervisor = this.#connect();
    const id = ++this.#lastId;
    const streams = createStreams(id, spec.stdin, (message) => supervisor.send(message));
    const { promise: exited, resolve } = Promise.withResolvers<ProcessEnd>();
    // Without a time-out, a frozen supervisor is noticed when the process is stopped.
    let watchdog = spec.timeoutMs === undefined ? null : watch(supervisor, spec.timeoutMs + graceMs + watchdogMs);
    const stop = (): void => {
      supervisor.send({ type: 'abort', id });
      watchdog ??= watch(supervisor, graceMs + watchdogMs);
    };
    const spawnId = this.#add(id, streams, (result) => {
      clearTimeout(watchdog?.timer);
      signal.removeEventListener('abort', stop);
      streams.end();
      const { stdout: _, stderr: __, ...end } = result;
      resolve(end);
    });
    supervisor.ref();
    supervisor.send({ type: 'launch', id, spawnId, graceMs, spec });
    signal.addEventListener('abort', stop, { once: true });
    const { stdin, stdout, stderr } = streams;
    const stopped = async (): Promise<ProcessEnd> => {
      if (this.#runs.has(id)) stop();
      return exited;
    };
    return { stdin, stdout, stderr, exited, stop: stopped };
  }

  setDeadline(owner: ProcessOwner, ms: number): void {
    const at = hostMoment(ms);
    this.#deadlines.set(owner, at);
    this.#supervisor?.send({ type: 'deadline', owner, at });
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

  /** Enters a run, and returns the marker of its processes. */
  #add(id: number, streams: LaunchStreams | null, settle: (result: ProcessResult) => void): string {
    const trace: RunTrace = { pgid: null, spawnId: randomUUID(), startTicks: 0 };
    this.#runs.set(id, {
      startedAt: performance.now(),
      trace,
      ...(streams && { streams }),
      settle: (result) => {
        this.#runs.delete(id);
        if (this.#runs.size === 0) this.#supervisor?.unref();
        settle(result);
      },
    });
    return trace.spawnId;
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
    for (const [owner, at] of this.#deadlines) supervisor.send({ type: 'deadline', owner, at });
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
      case 'output':
      case 'written':
      case 'input_closed':
        return this.#runs.get(message.id)?.streams?.receive(message);
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

/**
 * One run inside the supervisor: starts it, reads its output, ends it for the first cause that occurs, and kills all of its
 * processes.
 */
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { excessOf } from '../limits/limits.ts';
import type { RunCgroup } from '../limits/run-cgroup.ts';
import type { CommandSpec, ProcessResult } from '../process-host.ts';
import { runnerOf } from '../runners/runners.ts';
import { killCgroup } from '../trace/cgroup-files.ts';
import { killRun } from '../trace/kill-run.ts';
import type { RunTrace } from '../trace/run-trace.ts';
import { afterEvents, turnsOfEventLoop } from './after-events.ts';
import { openGate } from './gate.ts';
import { NO_OUTPUT } from './output-capture.ts';
import type { RunOutput } from './run-output.ts';
import { type Refusal, refusalOf, type SpawnSetup, spawnRun } from './spawn-run.ts';

/** An active run. */
export interface SupervisedRun {
  /** Null if it could not start. */
  readonly trace: RunTrace | null;
  /** The writing end of its standard input; null if that is not a pipe or it could not start. */
  readonly stdin: Writable | null;
  readonly cgroup: RunCgroup | null;
  /**
   * Never rejects. Resolves when no process of the run is left, or with a problem that names the processes that could not be killed. Null if it has to be
   * started again: it was given to a standby that ended before the command began, and nobody has ended it.
   */
  readonly ended: Promise<ProcessResult | null>;
  /** Ends it: `gently` with SIGTERM and, after the grace time, SIGKILL; `now` with SIGKILL. Only the first cause and problem are reported. */
  end(how: 'gently' | 'now', cause: Cause, problem?: string): void;
}

type Cause = 'timeout' | 'limit' | 'aborted' | 'interrupted';

interface RunSetup extends SpawnSetup {
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  readonly output: RunOutput;
}

/** How long to wait for the end of the output after all processes of the run are dead. Only an escaped process keeps a pipe open for longer. */
const PIPE_CLOSE_MS = 500;

/** Starts a command in its own session and process group. */
export function startRun(spec: CommandSpec & { readonly timeoutMs?: number }, setup: RunSetup): SupervisedRun {
  const { graceMs, limits, output } = setup;
  const startedAt = performance.now();
  const spawned = spawnRun(spec, setup);
  if ('problem' in spawned) return notStarted(spawned, startedAt);
  const { child, trace, cgroup, stdin } = spawned;
  if (trace === null) return refused(child, startedAt);

  let cause: Cause | null = null;
  let problem: string | null = null;
  let unwanted = false;
  let escalation: NodeJS.Timeout | undefined;
  const end: SupervisedRun['end'] = (how, newCause, newProblem) => {
    unwanted = true;
    if (child.exitCode !== null || child.signalCode !== null) return;
    if (cause === null) problem = newProblem ?? null;
    cause ??= newCause;
    // Kill the whole cgroup at once. Processes that have left the group would otherwise run until the leader's exit is seen.
    if (how === 'now' && trace.cgroup !== undefined) killCgroup(trace.cgroup);
    signalGroup(trace, how === 'now' ? 'SIGKILL' : 'SIGTERM');
    if (how === 'gently') escalation ??= setTimeout(() => signalGroup(trace, 'SIGKILL'), graceMs);
  };
  const timer = spec.timeoutMs === undefined ? null : afterEvents(spec.timeoutMs, () => end('gently', 'timeout'));
  // A broken pipe: the process has closed its input or ended.
  stdin?.on('error', () => {});
  const gate = spawned.gated ? openGate(child, spawned.passed) : null;

  const finish = async (): Promise<ProcessResult | null> => {
    const drained = [output.drain('stdout', child.stdout!), output.drain('stderr', child.stderr!)];
    const { code, signal } = await exitOf(child);
    timer?.clear();
    clearTimeout(escalation);
    const left = runnerOf(spec.isolation).diesWithLeader && signal === null ? [] : await killRun(trace);
    const killedByKernel = cause === null ? (cgroup?.refused() ?? null) : null;
    if (killedByKernel === 'memory') {
      cause = 'limit';
      problem = excessOf('memory', limits, true);
    }
    if (left.length > 0) problem = `could not be killed: process ${left.join(', ')}`;
    output.release();
    // On a busy host, this time can pass before the data in the pipes has been read, so let pending events run too.
    await Promise.race([Promise.all(drained), sleep(PIPE_CLOSE_MS, undefined, { ref: false }).then(turnsOfEventLoop)]);
    for (const stream of [...child.stdio, stdin]) stream?.destroy();
    const durationMs = performance.now() - startedAt;
    if (cause === null && gate !== null && !gate.opened()) {
      if (spawned.waited && !unwanted && left.length === 0) return null;
      // A signal means that it was killed from outside before it started; an exit code, that this host cannot do it.
      const why = output.said().trim() || (signal ?? `exit code ${code}`);
      const ended = signal === null ? 'not_started' : 'unavailable';
      return {
        ...NOT_STARTED,
        ended,
        problem: `isolation "${spec.isolation}" could not be set up: ${why}`,
        durationMs,
      };
    }
    return {
      ended: cause ?? (signal === null ? 'exit' : 'signal'),
      exitCode: code,
      signal,
      ...output.captured(),
      durationMs,
      problem,
    };
  };
  return { trace, stdin, cgroup, ended: finish(), end };
}

/** The common fields of the result of a command that never ran. */
export const NOT_STARTED = {
  ended: 'not_started',
  exitCode: null,
  signal: null,
  stdout: NO_OUTPUT,
  stderr: NO_OUTPUT,
  durationMs: 0,
} as const;

function notStarted(refusal: Refusal, startedAt: number): SupervisedRun {
  const result: ProcessResult = { ...NOT_STARTED, durationMs: performance.now() - startedAt, ...refusal };
  return { trace: null, stdin: null, cgroup: null, ended: Promise.resolve(result), end: () => {} };
}

/** The system refused to start it (unknown binary format, arguments too long, too many processes). Its `error` event will say why. */
function refused(child: ChildProcess, startedAt: number): SupervisedRun {
  const ended = new Promise<ProcessResult>((resolve) => {
    child.once('error', (error) => {
      resolve({ ...NOT_STARTED, durationMs: performance.now() - startedAt, ...refusalOf(error) });
    });
  });
  return { trace: null, stdin: null, cgroup: null, ended, end: () => {} };
}

function exitOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
}

/** Signals the process group. Call it only before the leader has been reaped: until then the pgid cannot be reused. */
function signalGroup(trace: RunTrace, name: NodeJS.Signals): void {
  try {
    if (trace.pgid !== null) process.kill(-trace.pgid, name);
  } catch {
    // The group has just ended; its exit event will follow.
  }
}

/** One run inside the supervisor: spawn, drain, end on whatever comes first, and leave nothing behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setImmediate as immediately, setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../core/errors/errors.ts';
import { asUser, type User, userOf } from './as-user.ts';
import { findProgram, scriptProblem } from './find-program.ts';
import { killRun, type RunTrace, SPAWN_MARKER, startTicksOf } from './kill-run.ts';
import { inNamespace } from './namespace.ts';
import { captureOutput, NO_OUTPUT } from './output-capture.ts';
import type { ProcessResult, ProcessSpec } from './process-host.ts';

/** A run under way. */
export interface SupervisedRun {
  /** Null when it could not start. */
  readonly trace: RunTrace | null;
  /** Never rejects; resolves when no process of the run is left, or with a problem that names those that could not be killed. */
  readonly ended: Promise<ProcessResult>;
  /** Ends it: `gently` by SIGTERM and, after the grace time, SIGKILL; `now` by SIGKILL. The first cause and problem stand. */
  end(how: 'gently' | 'now', cause: Cause, problem?: string): void;
}

type Cause = 'timeout' | 'aborted';

/** How long output may keep coming after everything of the run is dead: only a holder that escaped keeps a pipe open. */
const PIPE_CLOSE_MS = 500;

/** Starts a command in its own session and process group. `graceMs` lies between SIGTERM and SIGKILL. */
export function startRun(spec: ProcessSpec, spawnId: string, graceMs: number): SupervisedRun {
  const startedAt = performance.now();
  const spawned = trySpawn(spec, spawnId);
  if (typeof spawned === 'string') return notStarted(spawned, startedAt);
  const { child, trace } = spawned;
  if (trace === null) return refused(child, startedAt);

  let cause: Cause | null = null;
  let problem: string | null = null;
  let escalation: NodeJS.Timeout | undefined;
  const end: SupervisedRun['end'] = (how, newCause, newProblem) => {
    if (cause === null) problem = newProblem ?? null;
    cause ??= newCause;
    if (child.exitCode !== null || child.signalCode !== null) return;
    signalGroup(trace, how === 'now' ? 'SIGKILL' : 'SIGTERM');
    if (how === 'gently') escalation ??= setTimeout(() => signalGroup(trace, 'SIGKILL'), graceMs);
  };
  const timer = setTimeout(() => end('gently', 'timeout'), clampTimer(spec.timeoutMs));

  const finish = async (): Promise<ProcessResult> => {
    const [stdout, stderr, setUp] = [
      captureOutput(spec.maxOutputBytes),
      captureOutput(spec.maxOutputBytes),
      captureOutput(1),
    ];
    const drained = [drain(child.stdout, stdout), drain(child.stderr, stderr), drain(child.stdio[3], setUp)];
    const { code, signal } = await exitOf(child);
    clearTimeout(timer);
    clearTimeout(escalation);
    // The leader of a namespace ends by itself only when the kernel has killed all that was in it.
    const left = spec.isolation === 'namespace' && signal === null ? [] : await killRun(trace);
    if (left.length > 0) problem = `could not be killed: process ${left.join(', ')}`;
    await Promise.race([Promise.all(drained), sleep(PIPE_CLOSE_MS, undefined, { ref: false }).then(readWhatIsThere)]);
    for (const stream of child.stdio) stream?.destroy();
    if (spec.isolation === 'namespace' && cause === null && setUp.finish().bytes === 0) {
      problem = `the namespace could not be set up: ${stderr.finish().text.trim() || `exit code ${code}`}`;
      return { ...NOT_STARTED, problem, durationMs: performance.now() - startedAt };
    }
    return {
      ended: cause ?? (signal === null ? 'exit' : 'signal'),
      exitCode: code,
      signal,
      stdout: stdout.finish(),
      stderr: stderr.finish(),
      durationMs: performance.now() - startedAt,
      problem,
    };
  };
  return { trace, ended: finish(), end };
}

/** On a busy host the time may pass before what lies in the pipes was looked at: each turn of the event loop reads on. */
async function readWhatIsThere(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await immediately();
}

/** What is the same of every result of a command that never ran. */
export const NOT_STARTED = {
  ended: 'not_started',
  exitCode: null,
  signal: null,
  stdout: NO_OUTPUT,
  stderr: NO_OUTPUT,
  durationMs: 0,
} as const;

function notStarted(problem: string, startedAt: number): SupervisedRun {
  const result: ProcessResult = { ...NOT_STARTED, durationMs: performance.now() - startedAt, problem };
  return { trace: null, ended: Promise.resolve(result), end: () => {} };
}

/** The child, or why there is none. */
function trySpawn(spec: ProcessSpec, spawnId: string): { child: ChildProcess; trace: RunTrace | null } | string {
  let stdin: number | undefined;
  try {
    // Looked at beforehand because spawn's ENOENT does not tell a missing directory from a missing command.
    if (!statSync(spec.cwd, { throwIfNoEntry: false })?.isDirectory())
      return `the working directory ${spec.cwd} does not exist`;
    const program = findProgram(spec.command, spec.env['PATH'] ?? '/usr/bin:/bin', spec.cwd);
    if (program === null) return `${spec.command}: not found or not executable`;
    const unfit = scriptProblem(program);
    if (unfit !== null) return unfit;
    const user = spec.isolation === 'uid' ? userOf(spec.cwd) : null;
    if (typeof user === 'string') return user;
    const line = commandLine(program, spec, user);
    if (typeof line === 'string') return line;
    stdin = spec.stdin === undefined ? undefined : openStdin(spec.stdin);
    const child = spawn(line.command, line.args, {
      cwd: spec.cwd,
      env: { ...spec.env, [SPAWN_MARKER]: spawnId },
      detached: true,
      stdio: [stdin ?? 'ignore', 'pipe', 'pipe', ...(spec.isolation === 'namespace' ? ['pipe' as const] : [])],
    });
    const { pid } = child;
    const trace =
      pid === undefined ? null : { pgid: pid, spawnId, startTicks: startTicksOf(pid), ...(user && { user }) };
    return { child, trace };
  } catch (error) {
    return messageOf(error);
  } finally {
    if (stdin !== undefined) closeSync(stdin);
  }
}

/** How the command is started in its isolation, or why it cannot be. */
function commandLine(program: string, { isolation, args, hidePaths }: ProcessSpec, user: User | null) {
  switch (isolation) {
    case 'none':
      return { command: program, args };
    case 'uid':
      return (user && asUser(program, args, user)) ?? 'this host has no setpriv (util-linux is needed)';
    case 'namespace':
      return inNamespace(program, args, hidePaths) ?? 'this host has no namespaces (Linux with util-linux is needed)';
    default:
      return isolation satisfies never;
  }
}

/** The system refused: a foreign binary format, too long arguments, too many processes; an event to come says which. */
function refused(child: ChildProcess, startedAt: number): SupervisedRun {
  const ended = new Promise<ProcessResult>((resolve) => {
    child.once('error', ({ message }) => {
      resolve({ ...NOT_STARTED, problem: message, durationMs: performance.now() - startedAt });
    });
  });
  return { trace: null, ended, end: () => {} };
}

function exitOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
}

async function drain(stream: unknown, into: { add(chunk: Buffer): void }): Promise<void> {
  const readable = stream as NodeJS.ReadableStream | null | undefined;
  if (!readable) return;
  readable.on('data', (chunk: Buffer) => into.add(chunk));
  // A pipe that breaks has delivered what there was; the exit status tells the rest.
  await finished(readable, { writable: false }).catch(() => {});
}

/**
 * Standard input as an unlinked file rather than a pipe: a command may read it late, partly or never, and no writer waits
 * or breaks. Node's own pipes are sockets, and bash takes a socket for a remote login and sources ~/.bashrc.
 */
function openStdin(text: string): number {
  const directory = mkdtempSync(join(tmpdir(), 'animus-stdin-'));
  try {
    const file = join(directory, 'stdin');
    writeFileSync(file, text, { mode: 0o600 });
    return openSync(file, 'r');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Only while its leader has not been reaped, so that the number is surely still the run's own. */
function signalGroup(trace: RunTrace, name: NodeJS.Signals): void {
  try {
    if (trace.pgid !== null) process.kill(-trace.pgid, name);
  } catch {
    // The group ended in this very moment; its exit is on its way to us.
  }
}

/** setTimeout fires at once on what does not fit 31 bits. */
export function clampTimer(ms: number): number {
  return Math.min(Math.max(0, ms), 2 ** 31 - 1);
}

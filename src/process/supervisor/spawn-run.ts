/** Starts the command of a run: found, isolated, put where its limits count, and held at the start gate. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../core/errors/errors.ts';
import { findProgram, scriptProblem } from '../find-program.ts';
import type { ProcessLimits } from '../limits/limits.ts';
import { atOrdinaryPriority } from '../limits/precedence.ts';
import type { RunCgroup } from '../limits/run-cgroup.ts';
import type { ProcessResult, ProcessSpec } from '../process-host.ts';
import type { StartLine } from '../runners/runner.ts';
import { runnerOf } from '../runners/runners.ts';
import { systemProgram } from '../runners/start-gate.ts';
import { startTicksOf } from '../trace/process-table.ts';
import { type RunTrace, SPAWN_MARKER } from '../trace/run-trace.ts';

/** A child; without a trace the system has refused it, and an `error` event to come says why. */
export interface SpawnedRun {
  readonly child: ChildProcess;
  readonly trace: RunTrace | null;
  /** True when it waits at the start gate. */
  readonly gated: boolean;
}

/** The parts of a run that its supervisor provides. */
export interface SpawnMeans {
  readonly spawnId: string;
  readonly cgroup: RunCgroup | null;
  readonly limits: ProcessLimits;
}

/** Why nothing was started: `not_started` for what the command or its place lack, `unavailable` for what the host lacks. */
export type Refusal = Pick<ProcessResult, 'problem'> & { readonly ended: 'not_started' | 'unavailable' };

/** Starts the command in a session and process group of its own. */
export function spawnRun(spec: ProcessSpec, means: SpawnMeans): SpawnedRun | Refusal {
  const { spawnId, cgroup, limits } = means;
  let stdin: number | undefined;
  try {
    const line = startLine(spec, limits.processes);
    if (typeof line === 'string') return { ended: 'not_started', problem: line };
    const { command, args } = asFirstVictim(line, cgroup);
    stdin = spec.stdin === undefined ? undefined : openStdin(spec.stdin);
    const stdio = [stdin ?? 'ignore', 'pipe', 'pipe', ...(line.gated ? ['pipe' as const] : [])] as const;
    const env = { ...spec.env, [SPAWN_MARKER]: spawnId };
    const child = atOrdinaryPriority(() =>
      spawn(command, args, { cwd: spec.cwd, env, detached: true, stdio: [...stdio] }),
    );
    const { gated, user } = line;
    if (child.pid === undefined) return { child, trace: null, gated };
    const trace: RunTrace = {
      pgid: child.pid,
      spawnId,
      startTicks: startTicksOf(child.pid),
      ...(user && { user }),
      ...(cgroup && { cgroup: cgroup.path }),
    };
    return { child, trace, gated };
  } catch (error) {
    return refusalOf(error);
  } finally {
    if (stdin !== undefined) closeSync(stdin);
  }
}

/** Errors of a host without free processes, memory or descriptors; it would refuse any command. */
export function refusalOf(error: unknown): Refusal {
  const exhausted = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT'];
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return { ended: exhausted.includes(code) ? 'unavailable' : 'not_started', problem: messageOf(error) };
}

/** How the command is started in its isolation, or why it cannot be. */
function startLine(spec: ProcessSpec, maxTasks: number): StartLine | string {
  // Looked at beforehand because spawn's ENOENT does not tell a missing directory from a missing command.
  if (!statSync(spec.cwd, { throwIfNoEntry: false })?.isDirectory())
    return `the working directory ${spec.cwd} does not exist`;
  const program = findProgram(spec.command, spec.env['PATH'] ?? '/usr/bin:/bin', spec.cwd);
  if (program === null) return `${spec.command}: not found or not executable`;
  return scriptProblem(program) ?? runnerOf(spec.isolation).start({ ...spec, command: program, maxTasks });
}

/**
 * The first step of a run enters its cgroup and makes it the kernel's first choice when the host is out of memory; all
 * that follows inherits both. The daemon's own score, which an operator may have lowered, reaches no command.
 */
function asFirstVictim(line: StartLine, cgroup: RunCgroup | null): Pick<StartLine, 'command' | 'args'> {
  const sh = process.platform === 'linux' ? systemProgram('sh') : null;
  if (sh === null) return line;
  return {
    command: sh,
    args: ['-c', ENTER, sh, cgroup === null ? '' : join(cgroup.path, 'cgroup.procs'), line.command, ...line.args],
  };
}

const ENTER = `{ echo 1000 >/proc/self/oom_score_adj; [ -z "$1" ] || echo 0 >"$1"; } 2>/dev/null; shift; exec "$@"`;

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

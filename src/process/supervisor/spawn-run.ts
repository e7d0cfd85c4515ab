/** Starts the command of a run: finds it, isolates it, puts it into its cgroup and holds it at the start gate. */
import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { messageOf } from '../../core/errors/errors.ts';
import { findProgram, scriptProblem } from '../find-program.ts';
import type { ProcessLimits } from '../limits/limits.ts';
import { atOrdinaryPriority } from '../limits/precedence.ts';
import type { RunCgroup } from '../limits/run-cgroup.ts';
import type { CommandSpec, ProcessResult } from '../process-host.ts';
import { withFirstStep } from '../runners/first-step.ts';
import type { PlaceEntry } from '../runners/place.ts';
import type { StartLine } from '../runners/runner.ts';
import { runnerOf } from '../runners/runners.ts';
import { startTicksOf } from '../trace/process-table.ts';
import { type RunTrace, SPAWN_MARKER } from '../trace/run-trace.ts';
import { type InputSource, type OpenInput, openInput } from './open-input.ts';

/** A child process. If it has no trace, the system refused to start it, and its `error` event will say why. */
export interface SpawnedRun {
  readonly child: ChildProcess;
  readonly trace: RunTrace | null;
  /** True if it waits at the start gate. */
  readonly gated: boolean;
  /** What it enters before. */
  readonly place: PlaceEntry | null;
  /** The writing end of its standard input, if that is a pipe. */
  readonly stdin: Writable | null;
}

/** The parts of a run that its supervisor provides. */
export interface SpawnSetup {
  readonly spawnId: string;
  readonly cgroup: RunCgroup | null;
  readonly limits: ProcessLimits;
  readonly input: InputSource;
}

/** Why nothing was started: `not_started` if the command or its directory is at fault, `unavailable` if the host is. */
export type Refusal = Pick<ProcessResult, 'problem'> & { readonly ended: 'not_started' | 'unavailable' };

/** Starts the command in its own session and process group. */
export function spawnRun(spec: CommandSpec, setup: SpawnSetup): SpawnedRun | Refusal {
  const { spawnId, cgroup, limits } = setup;
  let input: OpenInput | undefined;
  let place: PlaceEntry | null = null;
  try {
    const line = startLine(spec, limits);
    if (typeof line === 'string') return { ended: 'not_started', problem: line };
    place = line.place ?? null;
    const { command, args } = withFirstStep(line, cgroup && join(cgroup.path, 'cgroup.procs'));
    input = openInput(setup.input);
    const gate = line.gated ? (['pipe', ...(line.file === undefined ? [] : [line.file])] as const) : [];
    const env = { ...spec.env, ...line.env, [SPAWN_MARKER]: spawnId };
    const child = atOrdinaryPriority(() =>
      spawn(command, args, { cwd: spec.cwd, env, detached: true, stdio: [input!.stdio, 'pipe', 'pipe', ...gate] }),
    );
    const { gated, user } = line;
    const stdin = input.writer ?? child.stdin;
    if (child.pid === undefined) return { child, trace: null, gated, place, stdin };
    const trace: RunTrace = {
      pgid: child.pid,
      spawnId,
      startTicks: startTicksOf(child.pid),
      ...(user && { user }),
      ...(cgroup && { cgroup: cgroup.path }),
    };
    return { child, trace, gated, place, stdin };
  } catch (error) {
    place?.entered();
    input?.writer?.destroy();
    return refusalOf(error);
  } finally {
    input?.release();
  }
}

/** Classifies an error. A host without free processes, memory or descriptors would refuse any command. */
export function refusalOf(error: unknown): Refusal {
  const exhausted = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT'];
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return { ended: exhausted.includes(code) ? 'unavailable' : 'not_started', problem: messageOf(error) };
}

/** Returns the command line that starts the command in its isolation, or the reason why it cannot be started. */
function startLine(spec: CommandSpec, limits: ProcessLimits): StartLine | string {
  // Check the directory first: ENOENT from spawn does not say whether the directory or the command is missing.
  if (!statSync(spec.cwd, { throwIfNoEntry: false })?.isDirectory())
    return `the working directory ${spec.cwd} does not exist`;
  const program = findProgram(spec.command, spec.env['PATH'] ?? '/usr/bin:/bin', spec.cwd);
  if (program === null) return `${spec.command}: not found or not executable`;
  const [maxTasks, maxMemoryBytes] = [limits.processes, limits.memoryBytes];
  const request = { ...spec, command: program, locale: spec.env['LC_ALL'], maxTasks, maxMemoryBytes };
  return scriptProblem(program) ?? runnerOf(spec.isolation).start(request);
}

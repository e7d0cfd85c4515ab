/** Starts the command of a run: finds it, isolates it, puts it into its cgroup and holds it at the start gate. */
import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { messageOf } from '../../core/errors/errors.ts';
import { findProgram, scriptProblem } from '../find-program.ts';
import type { ProcessLimits } from '../limits/limits.ts';
import type { RunCgroup } from '../limits/run-cgroup.ts';
import type { CommandSpec, ProcessResult } from '../process-host.ts';
import type { StartLine } from '../runners/runner.ts';
import { runnerOf } from '../runners/runners.ts';
import { startTicksOf } from '../trace/process-table.ts';
import { type RunTrace, SPAWN_MARKER } from '../trace/run-trace.ts';
import { type InputSource, type OpenInput, openInput } from './open-input.ts';
import { spawnBehindGate } from './spawn-behind-gate.ts';
import type { Standbys } from './standbys.ts';

/** A child process. If it has no trace, the system refused to start it, and its `error` event will say why. */
export interface SpawnedRun {
  readonly child: ChildProcess;
  readonly trace: RunTrace | null;
  /** True if it waits at the start gate. */
  readonly gated: boolean;
  /** True if it was given to a standby, which may be gone by then. */
  readonly waited: boolean;
  readonly cgroup: RunCgroup | null;
  /** The writing end of its standard input, if that is a pipe. */
  readonly stdin: Writable | null;
  /** To be called when its gate has opened: prepares for the next command. */
  passed(): void;
}

/** The parts of a run that its supervisor provides. */
export interface SpawnSetup {
  readonly spawnId: string;
  /** Makes the cgroup of the run. */
  readonly addCgroup: () => RunCgroup | null;
  /** Applies the limits of its owner, where no cgroup is made. */
  readonly limit: () => void;
  readonly standbys: Standbys;
  readonly limits: ProcessLimits;
  readonly input: InputSource;
}

/** Why nothing was started: `not_started` if the command or its directory is at fault, `unavailable` if the host is. */
export type Refusal = Pick<ProcessResult, 'problem'> & { readonly ended: 'not_started' | 'unavailable' };

/** Starts the command in its own session and process group, or gives it to a process that waits for one. */
export function spawnRun(spec: CommandSpec, setup: SpawnSetup): SpawnedRun | Refusal {
  const { spawnId, limits, standbys, input } = setup;
  try {
    const line = startLine(spec, limits);
    if (typeof line === 'string') return { ended: 'not_started', problem: line };
    const { gated, user, waiting, place } = line;
    const environment = { ...spec.env, [SPAWN_MARKER]: spawnId };
    const orders = input === 'pipe' ? null : (waiting?.orders(environment, input !== 'none') ?? null);
    const taken = orders === null ? null : takeStandby(spec, setup, line, orders);
    const started = { ...(taken ?? startFresh(spec, setup, line)), waited: taken !== null };
    const { child } = started;
    const passed = (): void => {
      // A server is started once.
      if (place && waiting && input !== 'pipe' && spec.isLast !== true)
        standbys.prepare({ owner: spec.owner, line, limits });
    };
    if (child.pid === undefined) return { ...started, trace: null, gated, passed };
    const trace: RunTrace = {
      pgid: child.pid,
      spawnId,
      startTicks: startTicksOf(child.pid),
      ...(user && { user }),
      ...(started.cgroup && { cgroup: started.cgroup.path }),
    };
    return { ...started, trace, gated, passed };
  } catch (error) {
    return refusalOf(error);
  }
}

type Started = Pick<SpawnedRun, 'child' | 'cgroup' | 'stdin'>;

/** Null if no process waits for such a command. */
function takeStandby({ owner }: CommandSpec, setup: SpawnSetup, line: StartLine, orders: string): Started | null {
  const { input, standbys, limits } = setup;
  const standby = standbys.take({ owner, line, limits });
  if (standby === null) return null;
  line.place?.entered();
  standby.give(orders, typeof input === 'object' ? input.text : null);
  setup.limit();
  return { child: standby.child, cgroup: standby.cgroup, stdin: null };
}

function startFresh(spec: CommandSpec, setup: SpawnSetup, line: StartLine): Started {
  const { place } = line;
  let input: OpenInput | undefined;
  try {
    const cgroup = setup.addCgroup();
    input = openInput(setup.input);
    const environment = { ...spec.env, ...line.env, [SPAWN_MARKER]: setup.spawnId };
    const child = spawnBehindGate(line, { cwd: spec.cwd, environment, cgroup, input: input.stdio });
    return { child, cgroup, stdin: input.writer ?? child.stdin };
  } catch (error) {
    place?.entered();
    input?.writer?.destroy();
    throw error;
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

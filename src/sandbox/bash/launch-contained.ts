/** One command in the container of a focus, from its start to the end of everything that it has started. */
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/errors/errors.ts';
import type { CommandSpec, LaunchedProcess, LaunchSpec, ProcessEnd } from '../../process/process-host.ts';
import type { Clearance, ContainedCommand, ShellContainer } from './shell-container.ts';

/** What running a command needs of the focus's container. */
export interface ContainerUse {
  /** Gives the work a container in which commands can run. Rejects if there is none, with what to do about it, and when `stopped` aborts. */
  readonly use: (
    spec: CommandSpec,
    stopped: AbortSignal,
    work: (container: ShellContainer) => Promise<ProcessEnd>,
  ) => Promise<ProcessEnd>;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

/** Why a command is ended before it ends by itself. */
type Cause = 'timeout' | 'aborted';

/** Never throws: if it cannot start, `exited` says why. `signal` stops it like `stop`. */
export function launchContained(
  spec: LaunchSpec,
  signal: AbortSignal,
  { use, graceMs }: ContainerUse,
): LaunchedProcess {
  const startedMs = performance.now();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const stopping = new AbortController();
  let cause: Cause | null = null;
  let readsOutput = false;
  const stop = (why: Cause): void => {
    cause ??= why;
    stopping.abort();
  };
  const onAbort = (): void => stop('aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const timer = spec.timeoutMs === undefined ? null : setTimeout(() => stop('timeout'), spec.timeoutMs);

  const end = (ended: ProcessEnd['ended'], problem: string | null, exitCode: number | null = null): ProcessEnd => {
    return { ended, exitCode, signal: null, durationMs: performance.now() - startedMs, problem };
  };

  const runIn = async (container: ShellContainer): Promise<ProcessEnd> => {
    if (cause !== null) return end(cause, null);
    readsOutput = true;
    const command = await container.start([spec.command, ...spec.args], { env: spec.env, workdir: spec.cwd });
    command.program.stdout.pipe(stdout);
    command.stderr.pipe(stderr);
    const ending = endOnStop(command, stopping.signal, graceMs);
    const reported = await command.ended;
    ending.abort();
    const clearance = await command.clear();
    const how = await lastOf(command);
    const exitCode = reported ?? (clearance.gone === null && !clearance.destroyed ? how.exitCode : null);
    return judge(exitCode, how, await command.started, clearance);
  };

  const judge = (exitCode: number | null, how: ProcessEnd, started: boolean, cleared: Clearance): ProcessEnd => {
    const replaced = cleared.destroyed
      ? 'its container was replaced, because not everything in it could be killed'
      : null;
    if (cause !== null) return end(cause, replaced ?? (cause === 'timeout' ? shortageOf(cleared) : null));
    if (exitCode !== null && started) {
      if (exitCode !== 0 && cleared.outOfMemory) return end('limit', OUT_OF_MEMORY, exitCode);
      return end('exit', replaced ?? (exitCode === 0 ? null : shortageOf(cleared)), exitCode);
    }
    if (started && cleared.outOfMemory) return end('limit', OUT_OF_MEMORY);
    if (started || cleared.gone !== null) return end(started ? 'interrupted' : 'not_started', endOf(cleared));
    return end('not_started', how.problem ?? NO_SHELL);
  };

  const run = async (): Promise<ProcessEnd> => {
    try {
      return await use(spec, stopping.signal, runIn);
    } catch (error) {
      return cause === null ? end('not_started', messageOf(error)) : end(cause, null);
    } finally {
      clearTimeout(timer ?? undefined);
      signal.removeEventListener('abort', onAbort);
      for (const stream of readsOutput ? [] : [stdout, stderr]) stream.end();
    }
  };

  const exited = run();
  return {
    stdin: null,
    stdout,
    stderr,
    exited,
    async stop() {
      stop('aborted');
      return exited;
    },
  };
}

const OUT_OF_MEMORY = 'the container used all its memory (memory_mib), and the kernel killed a process in it';
const NO_FORKS = 'the container reached its limit of processes and threads (pids)';
const NO_SHELL = 'no command can be started in the container: its image must have /bin/sh';

function endOf({ gone }: Clearance): string {
  if (gone === null) return 'its container was destroyed';
  const { ended, problem } = gone;
  switch (ended) {
    case 'expired':
      return 'its container was destroyed: the deadline of its owner passed without renewal';
    case 'lost':
      return `its container was lost: ${problem ?? 'the engine went away'}`;
    case 'exited':
      return 'its container has ended on its own';
    case 'destroyed':
      return 'its container was destroyed';
    default:
      return ended satisfies never;
  }
}

function shortageOf({ outOfMemory, refusedForks }: Clearance): string | null {
  if (outOfMemory) return OUT_OF_MEMORY;
  return refusedForks ? NO_FORKS : null;
}

/** When it is stopped: SIGTERM and, after the grace time, SIGKILL. Returns what ends the waiting. */
function endOnStop(command: ContainedCommand, stopped: AbortSignal, graceMs: number): AbortController {
  const over = new AbortController();
  const kill = async (): Promise<void> => {
    await command.terminate();
    await sleep(graceMs, undefined, { signal: over.signal }).catch(() => undefined);
    if (!over.signal.aborted) await command.clear();
  };
  const onStop = (): void => void kill();
  stopped.addEventListener('abort', onStop, { once: true });
  over.signal.addEventListener('abort', () => stopped.removeEventListener('abort', onStop));
  if (stopped.aborted) onStop();
  return over;
}

/** What holds the streams open is dead by now; an engine that does not notice is not waited for. */
const LAST_MS = 5000;

async function lastOf({ program }: ContainedCommand): Promise<ProcessEnd> {
  const waited = new AbortController();
  const late = sleep(LAST_MS, undefined, { signal: waited.signal }).then(
    () => program.stop(),
    () => program.exited,
  );
  const how = await Promise.race([program.exited, late]);
  waited.abort();
  return how;
}

/** A running container for commands. When a command ends, nothing that it has started is left. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerEnd, ContainerExec, HeldContainer } from '../container-host.ts';
import { type CommandReports, readReports } from './command-reports.ts';
import { COMMAND_FRAME, COMMAND_MARK } from './first-process.ts';
import { createSweeper } from './sweeper.ts';

/** A command in the container, with what it has left behind. */
export interface ContainedCommand extends Pick<CommandReports, 'stderr'> {
  readonly program: ReturnType<HeldContainer['exec']>;
  /** True once the command itself has been reached. */
  readonly started: Promise<boolean>;
  /**
   * The exit code of the command itself, when it has ended; what it started may still run. Null if its end was not seen. Never rejects.
   * What the engine reports is the exit code of the frame around it, which may already have been killed with the rest.
   */
  readonly ended: Promise<number | null>;
  /** SIGTERM to the command with everything that it started. */
  terminate(): Promise<void>;
  /**
   * Kills the command with everything that it started, and forgets it. If that is impossible, destroys the container. Resolves to what was
   * noticed meanwhile.
   */
  clear(): Promise<Clearance>;
}

/** What the end of a command has shown. */
export interface Clearance {
  /** True if the container had to be destroyed, and the other commands with it. */
  readonly destroyed: boolean;
  /** True if the kernel has killed a process of the container for lack of memory while the command ran. */
  readonly outOfMemory: boolean;
  /** How the container has ended, if it has not been destroyed here; null: it goes on. */
  readonly gone: ContainerEnd | null;
  /** True if the kernel has refused to start a process in the container while the command ran. */
  readonly refusedForks: boolean;
}

export interface ShellContainer {
  /** What is mounted in it, as in mountinfo, when commands can run in it; null if they cannot. */
  readonly ready: Promise<readonly string[] | null>;
  readonly exited: HeldContainer['exited'];
  /** Never rejects. */
  start(program: readonly string[], place: Pick<ContainerExec, 'env' | 'workdir'>): Promise<ContainedCommand>;
  /** How many commands have not been cleared. */
  running(): number;
  destroy(): Promise<void>;
}

interface RunningCommand {
  readonly mark: string;
  pid: number;
  /** Resolves when it runs, or will not. */
  readonly reached: Promise<unknown>;
}

/** How long a sweep waits for commands that are just starting, whose processes it could not tell from others. */
const STARTING_MS = 3000;

/** Takes over a container whose command is `FIRST_PROCESS`. */
export function shellContainer(held: HeldContainer): ShellContainer {
  const sweeper = createSweeper(held);
  const running = new Set<RunningCommand>();
  let sweeping: Promise<unknown> = Promise.resolve();
  let refusedForks = 0;
  let killedForMemory = 0;
  let gone: ContainerEnd | null = null;
  void held.exited.then((end) => (gone = end));

  const sweep = (signal: 'TERM' | 'KILL', but: RunningCommand) => {
    const swept = sweeping.then(async () => {
      const others = [...running].filter((each) => each !== but);
      const waited = new AbortController();
      const all = Promise.all(others.map(({ reached }) => reached));
      await Promise.race([all, sleep(STARTING_MS, undefined, { signal: waited.signal }).catch(() => undefined)]);
      waited.abort();
      return sweeper.sweep(signal, others);
    });
    sweeping = swept;
    return swept;
  };

  /** A process that is just being started carries no mark yet, so nothing is started during a sweep. */
  const quiet = async () => {
    for (let seen: Promise<unknown> | null = null; seen !== sweeping; ) await (seen = sweeping);
  };

  return {
    ready: sweeper.ready,
    exited: held.exited,
    async start([name = '', ...args], { env, workdir }) {
      await quiet();
      const mark = randomUUID();
      const program = held.exec({
        command: ['/bin/sh', '-c', COMMAND_FRAME, 'animus', mark, name, ...args],
        env: { ...env, [COMMAND_MARK]: mark },
        workdir,
        stdin: 'none',
        keepsRest: true,
      });
      const reports = readReports(mark);
      program.stderr.pipe(reports.stderr);
      const command: RunningCommand = { mark, pid: 0, reached: Promise.race([reports.started, program.exited]) };
      running.add(command);
      const oomBefore = held.outOfMemory();
      const refusedBefore = refusedForks;
      const killedBefore = killedForMemory;
      const started = reports.started.then((pid) => {
        command.pid = pid ?? 0;
        return pid !== null;
      });
      return {
        program,
        stderr: reports.stderr,
        started,
        ended: Promise.race([reports.ended, program.exited.then(() => null)]),
        async terminate() {
          await sweep('TERM', command);
        },
        async clear() {
          const report = await sweep('KILL', command);
          running.delete(command);
          const before = gone;
          const destroyed = before === null && (report === null || report.left > 0);
          if (destroyed) await held.destroy();
          refusedForks = report?.refusedForks ?? refusedForks;
          killedForMemory = report?.outOfMemory ?? killedForMemory;
          return {
            destroyed,
            gone: before,
            outOfMemory: (held.outOfMemory() && !oomBefore) || killedForMemory > killedBefore,
            refusedForks: refusedForks > refusedBefore,
          };
        },
      };
    },
    running: () => running.size,
    destroy: () => held.destroy(),
  };
}

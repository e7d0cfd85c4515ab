/** A further program in a container that runs: the engine starts it, and a shell in the container ends its process group. */
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { messageOf } from '../../core/errors/errors.ts';
import { writeInput } from '../../process/supervisor/run-io.ts';
import { forwardStreams } from '../../process/supervisor/run-output.ts';
import type { StreamInput } from '../../process/supervisor/supervisor-protocol.ts';
import type { ContainerExec } from '../container-host.ts';
import { splitStreams } from '../engine/split-streams.ts';
import { takeFirstLine } from './first-line.ts';
import type { ExecEnd, FromKeeper } from './keeper-protocol.ts';

/** A program that was started, until its end is reported. */
export interface KeptExec {
  input(message: StreamInput): void;
  stop(cause: 'aborted' | 'timeout'): void;
  readonly over: Promise<void>;
}

export interface ExecPlace {
  readonly id: number;
  readonly container: Docker.Container;
  readonly user: string;
  readonly send: (message: FromKeeper) => void;
  /** Destroys the container, because the program could not be ended otherwise. */
  readonly destroy: () => void;
}

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 2000;
/** After SIGKILL, until the whole container is destroyed. */
const KILL_MS = 5000;
/** The first line on stderr is ours: it tells the number of the process group. */
const START = 'printf "%s %s\\n" "$ANIMUS_EXEC" "$$" >&2; exec "$@"';
/** Ends the group, and whatever has left it and still carries the mark. */
const END = `kill -s "$1" -- "-$2" 2>/dev/null
for p in /proc/[0-9]*; do
  case "$(tr '\\000' '\\n' < "$p/environ" 2>/dev/null)" in *"ANIMUS_EXEC=$3"*) kill -s "$1" "\${p#/proc/}" 2>/dev/null;; esac
done; true`;

/** Starts it and reports `exec_ended` at its end. */
export function keepExec(spec: ContainerExec, place: ExecPlace): KeptExec {
  const { id, container, user, send } = place;
  const mark = randomUUID();
  let connection: Duplex | null = null;
  /** What was written before the engine had started it. */
  const early: StreamInput[] = [];
  let group: string | null = null;
  let cause: 'aborted' | 'timeout' | null = null;
  let over = false;
  const output = forwardStreams(id, send);

  const signal = async (name: 'TERM' | 'KILL'): Promise<void> => {
    if (group === null || over) return;
    const Cmd = ['/bin/sh', '-c', END, 'sh', name, group, mark];
    const killer = await container.exec({ Cmd, User: user, AttachStdout: true });
    await finished((await killer.start({ hijack: true })).resume()).catch(() => {});
  };

  const stop = async (why: 'aborted' | 'timeout'): Promise<void> => {
    if (cause !== null || over) return;
    cause = why;
    await signal('TERM').catch(() => {});
    await sleep(GRACE_MS, undefined, { ref: false });
    await signal('KILL').catch(() => {});
    await sleep(KILL_MS, undefined, { ref: false });
    if (!over) place.destroy();
  };

  const timer = spec.timeoutMs === undefined ? undefined : setTimeout(() => void stop('timeout'), spec.timeoutMs);

  async function live(): Promise<ExecEnd> {
    const program = await container.exec({
      Cmd: ['/bin/sh', '-c', START, 'sh', ...spec.command],
      Env: [...Object.entries(spec.env).map(([key, value]) => `${key}=${value}`), `ANIMUS_EXEC=${mark}`],
      User: user,
      WorkingDir: spec.workdir,
      AttachStdin: spec.stdin === 'pipe',
      AttachStdout: true,
      AttachStderr: true,
      Tty: false,
    });
    connection = await program.start({ hijack: true, stdin: spec.stdin === 'pipe' });
    for (const message of early.splice(0)) input(message);
    const { stdout, stderr } = splitStreams(connection);
    const said = takeFirstLine(stderr, (line) => {
      const [own, pid] = line.split(' ');
      if (own === mark) group = pid ?? null;
      return own === mark;
    });
    await Promise.all([output.drain('stdout', stdout), output.drain('stderr', said)]);
    const { ExitCode, Running } = await program.inspect();
    if (!spec.keepsRest) await signal('KILL');
    if (Running) return { ended: 'interrupted', exitCode: null, problem: 'the engine closed the connection' };
    if (ExitCode === null) return { ended: 'interrupted', exitCode: null, problem: 'the container was destroyed' };
    return { ended: cause ?? 'exit', exitCode: ExitCode, problem: null };
  }

  const ended = live()
    .catch((error: unknown): ExecEnd => {
      const ended = connection === null ? 'not_started' : 'interrupted';
      return { ended: cause ?? ended, exitCode: null, problem: messageOf(error) };
    })
    .then((end) => {
      over = true;
      clearTimeout(timer);
      connection?.destroy();
      send({ type: 'exec_ended', id, end });
    });

  const input = (message: StreamInput): void => {
    if (message.type === 'taken') output.taken(message.stream, message.bytes);
    else if (connection === null && !over) early.push(message);
    else writeInput(message, connection, send);
  };

  return {
    over: ended,
    input,
    stop: (why) => void stop(why),
  };
}

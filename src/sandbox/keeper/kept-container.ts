/** One container in the keeper: its streams, its end, and its removal, which is tried until it succeeds. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnimusError, messageOf } from '../../core/errors/errors.ts';
import { writeInput } from '../../process/supervisor/run-io.ts';
import { type ForwardedOutput, forwardStreams } from '../../process/supervisor/run-output.ts';
import type { StreamInput } from '../../process/supervisor/supervisor-protocol.ts';
import type { ContainerEnd, ContainerOwner, ContainerSpec } from '../container-host.ts';
import type { Engine } from '../engine/open-engine.ts';
import { removeContainer, runContainer } from '../engine/run-container.ts';
import { splitStreams } from '../engine/split-streams.ts';
import type { FromKeeper } from './keeper-protocol.ts';

/** A container from the request to start it until it is gone. */
export interface KeptContainer {
  owner: ContainerOwner;
  readonly user: string;
  /** Null until it exists. */
  engineId(): string | null;
  input(message: StreamInput): void;
  markOutOfMemory(): void;
  /** Asks the engine. The end of a container whose engine has died is known only some seconds later. Never rejects. */
  lives(): Promise<boolean>;
  /** Kills and removes it; only the first cause counts. Resolves when it is gone, after 10 s at most; removal goes on then. */
  destroy(cause: ContainerEnd['ended'], problem?: string): Promise<void>;
  /** Resolves when nothing of it is left. */
  readonly over: Promise<void>;
}

export interface ContainerRequest {
  readonly engine: Engine;
  readonly id: number;
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly send: (message: FromKeeper) => void;
}

/** How long the daemon waits for a removal. */
const REMOVAL_MS = 10_000;
const MAX_PAUSE_MS = 10_000;
/** How long the engine may take to say whether a container runs. */
const ASK_MS = 3000;
/** The exit is reported by the engine a little later than the connection ends. */
const LAST_WORDS_MS = 5000;

/** Starts a container and reports `started` or `failed`, and later `ended`. */
export function keepContainer(spec: ContainerSpec, request: ContainerRequest): KeptContainer {
  const { engine, id, send } = request;
  let engineId: string | null = null;
  let connection: Duplex | null = null;
  let output: ForwardedOutput | null = null;
  let cause: { readonly ended: ContainerEnd['ended']; readonly problem: string | null } | null = null;
  const gone = Promise.withResolvers<void>();

  const destroy: KeptContainer['destroy'] = async (ended, problem) => {
    cause ??= { ended, problem: problem ?? null };
    if (engineId !== null) void remove(engineId);
    await Promise.race([gone.promise, sleep(REMOVAL_MS, undefined, { ref: false })]);
  };

  let removing: Promise<void> | null = null;
  const remove = (container: string): Promise<void> => (removing ??= removeAtLast(container));
  async function removeAtLast(container: string): Promise<void> {
    for (let pauseMs = 250; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        await removeContainer(engine, container);
        return gone.resolve();
      } catch (error) {
        const fields = { container, error: messageOf(error) };
        send({ type: 'note', level: 'warn', message: 'a container could not be removed; trying again', fields });
        await sleep(pauseMs);
      }
    }
  }

  async function live(): Promise<void> {
    const running = await runContainer(engine, spec, request.labels, request.name, (created) => (engineId = created));
    connection = running.connection;
    output = forward(connection);
    if (cause !== null) void remove(running.id);
    else send({ type: 'started', id, container: running.id });
    const end = await endOf(running.gone, connection);
    cause ??= end;
    // All that it printed comes before its end.
    output.release();
    await Promise.race([drained, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
    send({ type: 'ended', id, end: { ...cause, exitCode: end.exitCode } });
    connection.destroy();
    // Lost: it may still run.
    if (end.ended === 'lost') await remove(running.id);
  }

  let drained: Promise<unknown> = Promise.resolve();
  function forward(stream: Duplex): ForwardedOutput {
    const forwarded = forwardStreams(id, send);
    const { stdout, stderr } = splitStreams(stream);
    drained = Promise.all([forwarded.drain('stdout', stdout), forwarded.drain('stderr', stderr)]);
    return forwarded;
  }

  const over = live()
    .catch((error: unknown) => {
      const failure = error instanceof AnimusError ? error : new AnimusError('internal.bug', { detail: String(error) });
      send({ type: 'failed', id, code: failure.code, details: failure.details });
      // The engine went away while it was being started.
      if (engineId !== null && failure.code === 'sandbox.unreachable') return remove(engineId);
      return undefined;
    })
    .finally(() => gone.resolve());

  return {
    owner: spec.owner,
    user: spec.user,
    engineId: () => engineId,
    over,
    input(message) {
      if (message.type === 'taken') output?.taken(message.stream, message.bytes);
      else writeInput(message, connection, send);
    },
    markOutOfMemory: () => send({ type: 'out_of_memory', id }),
    lives: async () =>
      cause === null && connection?.destroyed === false && connection.readable && (await isRunning(engine, engineId)),
    destroy,
  };
}

/** False if the engine does not answer. */
async function isRunning({ docker }: Engine, engineId: string | null): Promise<boolean> {
  if (engineId === null) return false;
  try {
    const abortSignal = AbortSignal.timeout(ASK_MS);
    return (await docker.getContainer(engineId).inspect({ abortSignal })).State.Running;
  } catch {
    return false;
  }
}

interface ObservedEnd extends ContainerEnd {
  readonly ended: 'exited' | 'lost';
}

/** Its exit code; `lost` if the engine goes away, or the connection ends and the container does not. */
async function endOf(gone: Promise<number>, connection: Duplex): Promise<ObservedEnd> {
  const exit = gone.then(
    (exitCode): ObservedEnd => ({ ended: 'exited', exitCode, problem: null }),
    (error: unknown): ObservedEnd => lost(`the engine went away: ${messageOf(error)}`),
  );
  const cut = new Promise<ObservedEnd>((resolve) => {
    const late = (): void => resolve(lost('the engine closed the connection'));
    connection.once('close', () => void setTimeout(late, LAST_WORDS_MS).unref());
  });
  return Promise.race([exit, cut]);
}

function lost(problem: string): ObservedEnd {
  return { ended: 'lost', exitCode: null, problem };
}

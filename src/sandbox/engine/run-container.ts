/** Starts and removes containers. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerCreateOptions } from 'dockerode';
import type { ContainerSpec } from '../container-host.ts';
import { containerOptions } from './container-options.ts';
import { engineError, statusOf } from './engine-errors.ts';
import type { Engine } from './open-engine.ts';

/** A container that was started. */
export interface RunningContainer {
  readonly id: string;
  /** Its attached streams, as frames. */
  readonly connection: Duplex;
  /** The exit code, when it is gone. Rejects if the engine goes away before. */
  readonly gone: Promise<number>;
}

/**
 * Creates a container, attaches to it and starts it. `created` learns its id as soon as it exists, before it runs. Rejects with an
 * AnimusError; then nothing of it is left, unless the engine has gone away.
 */
export async function runContainer(
  engine: Engine,
  spec: ContainerSpec,
  labels: Record<string, string>,
  name: string,
  created: (id: string) => void,
): Promise<RunningContainer> {
  const { docker, where, patienceMs } = engine;
  const abortSignal = AbortSignal.timeout(patienceMs);
  let id: string | null = null;
  try {
    const container = await docker.createContainer({
      ...createRequest(containerOptions(spec, name, labels)),
      abortSignal,
    });
    id = container.id;
    created(id);
    const connection = await attach(engine, id);
    const gone = container.wait({ condition: 'removed' }).then(({ StatusCode }: { StatusCode: number }) => StatusCode);
    // Those that wait for it get the failure.
    gone.catch(() => {});
    await container.start({ abortSignal });
    return { id, connection, gone };
  } catch (error) {
    if (id !== null) await removeContainer(engine, id).catch(() => {});
    throw engineError(error, { where, image: spec.image, runtime: spec.runtime });
  }
}

/**
 * Attaches with an empty body: the client's own `attach` sends its options as a body, which the engine may take for
 * input of the container.
 */
function attach({ docker }: Engine, id: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const request = {
      path: `/containers/${id}/attach?`,
      method: 'POST',
      hijack: true,
      isStream: true,
      file: Buffer.alloc(0),
      headers: { 'Content-Type': 'text/plain' },
      statusCodes: { 101: true, 200: true, 404: 'no such container', 409: 'conflict', 500: 'server error' },
      options: { stream: true, stdin: true, stdout: true, stderr: true },
    };
    docker.modem.dial(request, (error: Error | null, connection?: unknown) => {
      if (error) reject(error);
      else resolve(connection as Duplex);
    });
  });
}

/**
 * Without this, dockerode puts everything into the query of the address as well: the variables, which may be secret, would be in logs of the engine,
 * and the profile is longer than some servers take.
 */
function createRequest({ name, ...body }: ContainerCreateOptions): ContainerCreateOptions {
  return { _query: { name }, _body: body } as ContainerCreateOptions;
}

/** Kills and removes a container with its anonymous volumes, and resolves when it is gone. Rejects if the engine does not do it. */
export async function removeContainer({ docker, patienceMs }: Engine, id: string): Promise<void> {
  const container = docker.getContainer(id);
  for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, 500)) {
    try {
      await container.remove({ force: true, v: true, abortSignal: AbortSignal.timeout(patienceMs) });
    } catch (error) {
      if (statusOf(error) === 404) return;
      // It is being removed already, by itself or by somebody else.
      if (statusOf(error) !== 409) throw error;
    }
    if (await isGone(container)) return;
    await sleep(pauseMs);
  }
}

async function isGone(container: { inspect(): Promise<unknown> }): Promise<boolean> {
  try {
    await container.inspect();
    return false;
  } catch (error) {
    if (statusOf(error) === 404) return true;
    throw error;
  }
}

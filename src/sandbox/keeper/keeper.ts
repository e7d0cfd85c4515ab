/** The logic of the keeper: containers, their owners and their deadlines. */
import { randomUUID } from 'node:crypto';
import { messageOf } from '../../core/errors/errors.ts';
import { createDeadline, type Deadline } from '../../process/supervisor/deadline.ts';
import type { HostMoment } from '../../process/supervisor/supervisor-protocol.ts';
import type { ContainerOwner } from '../container-host.ts';
import { engineHealth } from '../engine/engine-health.ts';
import { DAEMON_LABEL, KEEPER_LABEL, OWNER_LABEL, PROCESS_LABEL, SANDBOX_LABEL } from '../engine/labels.ts';
import { openEngine } from '../engine/open-engine.ts';
import { watchMemory } from '../engine/watch-memory.ts';
import type { FromKeeper, Marks, ToKeeper } from './keeper-protocol.ts';
import { type KeptContainer, keepContainer } from './kept-container.ts';
import { type KeptExec, keepExec } from './kept-exec.ts';
import { reap } from './reap.ts';

/** Handles the daemon's messages in order. */
export interface Keeper {
  receive(message: Exclude<ToKeeper, { type: 'open' | 'stop' }>): void;
  /** Destroys every container and resolves when all are gone, or after 10 s. */
  endAll(problem: string): Promise<void>;
}

const HEALTH_MS = 5000;

/** Creates a keeper that reports through `send`. */
export function createKeeper(
  { address, marks }: Extract<ToKeeper, { type: 'open' }>,
  send: (message: FromKeeper) => void,
): Keeper {
  const engine = openEngine(address);
  const keeper = randomUUID();
  const containers = new Map<number, KeptContainer>();
  const execs = new Map<number, KeptExec>();
  const deadlines = new Map<ContainerOwner, Deadline>();
  const memory = watchMemory(engine, `${KEEPER_LABEL}=${keeper}`, (container) => {
    for (const kept of containers.values()) if (kept.engineId() === container) kept.markOutOfMemory();
  });

  const launch = ({ id, spec }: Extract<ToKeeper, { type: 'launch' }>): void => {
    if (deadlines.get(spec.owner)?.hasPassed()) {
      const details = { where: engine.where, detail: 'the deadline of its owner has passed', hint: '' };
      return send({ type: 'failed', id, code: 'sandbox.refused', details });
    }
    memory.start();
    const name = `animus-${keeper.slice(0, 8)}-${id}`;
    const labels = labelsOf(marks, keeper, spec.owner);
    const kept = keepContainer(spec, { engine, id, name, labels, send });
    containers.set(id, kept);
    void kept.over.then(() => containers.delete(id));
  };

  const exec = ({ id, container, spec }: Extract<ToKeeper, { type: 'exec' }>): void => {
    const kept = containers.get(container);
    const engineId = kept?.engineId() ?? null;
    if (!kept || engineId === null) {
      const problem = 'the container is gone';
      return send({ type: 'exec_ended', id, end: { ended: 'unavailable', exitCode: null, problem } });
    }
    const started = keepExec(spec, {
      id,
      container: engine.docker.getContainer(engineId),
      user: kept.user,
      send,
      destroy: () => void kept.destroy('destroyed', 'a program in it could not be killed'),
    });
    execs.set(id, started);
    void started.over.then(() => execs.delete(id));
  };

  const destroyOf = async (which: (kept: KeptContainer) => boolean, ...how: Parameters<KeptContainer['destroy']>) => {
    await Promise.all([...containers.values()].filter(which).map((kept) => kept.destroy(...how)));
  };

  const setDeadline = (owner: ContainerOwner, at: HostMoment): void => {
    deadlines.get(owner)?.clear();
    const pass = (): void => {
      const problem = 'the deadline of its owner passed without renewal';
      void destroyOf((kept) => kept.owner === owner, 'expired', problem);
    };
    deadlines.set(owner, createDeadline(at, pass));
  };

  const killAll = async (id: number, owner: ContainerOwner): Promise<void> => {
    deadlines.get(owner)?.clear();
    deadlines.delete(owner);
    await destroyOf((kept) => kept.owner === owner, 'destroyed');
    send({ type: 'gone', id });
  };

  const destroy = async (id: number, container: number): Promise<void> => {
    await containers.get(container)?.destroy('destroyed');
    send({ type: 'gone', id });
  };

  const tellWhetherLives = async (id: number, container: number): Promise<void> => {
    send({ type: 'lives', id, lives: (await containers.get(container)?.lives()) ?? false });
  };

  const adopt = (id: number, owner: ContainerOwner): void => {
    const kept = containers.get(id);
    if (!kept) return;
    kept.owner = owner;
    if (deadlines.get(owner)?.hasPassed()) void kept.destroy('expired', 'the deadline of its owner has passed');
  };

  const report = async ({ id, image, runtime }: Extract<ToKeeper, { type: 'health' }>): Promise<void> => {
    const health = await engineHealth(engine, { image, runtime, daemon: marks.daemon, patienceMs: HEALTH_MS });
    send({ type: 'health', id, health });
  };

  /** Null for one that is being created. */
  const heldIds = () => [...containers.values()].map((kept) => kept.engineId());

  const reapLeft = async (dead: readonly string[]): Promise<void> => {
    const before = heldIds();
    // Asked again after the engine's list was read: a container that was being created then may be held by now.
    const holds = (id: string): boolean => {
      const ids = [...before, ...heldIds()];
      return ids.includes(id) || ids.includes(null);
    };
    try {
      const count = await reap(engine, { marks, keeper, dead, holds });
      const message = 'removed containers that a dead daemon had left';
      if (count > 0) send({ type: 'note', level: 'info', message, fields: { count } });
    } catch (error) {
      const message = 'could not look for containers that dead daemons have left';
      send({ type: 'note', level: 'info', message, fields: { error: messageOf(error) } });
    }
  };

  return {
    receive(message) {
      switch (message.type) {
        case 'launch':
          return launch(message);
        case 'exec':
          return exec(message);
        case 'stop_exec':
          return execs.get(message.id)?.stop('aborted');
        case 'input':
        case 'taken':
          return (containers.get(message.id) ?? execs.get(message.id))?.input(message);
        case 'destroy':
          return void destroy(message.id, message.container);
        case 'lives':
          return void tellWhetherLives(message.id, message.container);
        case 'adopt':
          return adopt(message.id, message.owner);
        case 'deadline':
          return setDeadline(message.owner, message.at);
        case 'kill_all':
          return void killAll(message.id, message.owner);
        case 'health':
          return void report(message);
        case 'reap':
          return void reapLeft(message.dead);
        default:
          throw new Error(`unknown message ${JSON.stringify(message satisfies never)}`);
      }
    },
    async endAll(problem) {
      memory.stop();
      await destroyOf(() => true, 'destroyed', problem);
    },
  };
}

function labelsOf(marks: Marks, keeper: string, owner: ContainerOwner): Record<string, string> {
  return {
    [SANDBOX_LABEL]: '1',
    [DAEMON_LABEL]: marks.daemon,
    [PROCESS_LABEL]: marks.process,
    [KEEPER_LABEL]: keeper,
    [OWNER_LABEL]: owner,
  };
}

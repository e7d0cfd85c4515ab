/** Removes containers that dead daemons and dead keepers have left on the engine. */
import type { ContainerInfo } from 'dockerode';
import { livesOf } from '../../process/trace/process-mark.ts';
import { DAEMON_LABEL, KEEPER_LABEL, PROCESS_LABEL, SANDBOX_LABEL } from '../engine/labels.ts';
import type { Engine } from '../engine/open-engine.ts';
import { removeContainer } from '../engine/run-container.ts';
import type { Marks } from './keeper-protocol.ts';

/** Who asks. */
export interface Reaper {
  readonly marks: Marks;
  readonly keeper: string;
  /** The ids of daemons that are known to be dead. */
  readonly dead: readonly string[];
  /** Whether this keeper holds the container now, or may be about to: while it creates one, it does not know the id of that. */
  readonly holds: (id: string) => boolean;
}

/** Removes them and returns how many there were. Rejects if the engine does not answer. */
export async function reap(engine: Engine, reaper: Reaper): Promise<number> {
  const filters = { label: [SANDBOX_LABEL] };
  const containers = await engine.docker.listContainers({ all: true, filters });
  const left = containers.filter((container) => isLeft(container, reaper));
  await Promise.all(left.map(({ Id }) => removeContainer(engine, Id)));
  return left.length;
}

/** Never true of a container whose daemon may be alive. Compares no times: the clock of the engine is another one. */
export function isLeft(
  { Id, Labels }: Pick<ContainerInfo, 'Id' | 'Labels'>,
  { marks, keeper, dead, holds }: Reaper,
): boolean {
  // Each keeper of a daemon follows the death of the one before it.
  if (Labels[DAEMON_LABEL] === marks.daemon) return Labels[KEEPER_LABEL] !== keeper || !holds(Id);
  const lives = livesOf(Labels[PROCESS_LABEL] ?? '');
  if (lives !== null) return !lives;
  return dead.includes(Labels[DAEMON_LABEL] ?? '');
}

/** Removes containers that dead daemons and dead keepers have left on the engine. */
import type { ContainerInfo } from 'dockerode';
import { DAEMON_LABEL, KEEPER_LABEL, PROCESS_LABEL, SANDBOX_LABEL } from '../engine/labels.ts';
import type { Engine } from '../engine/open-engine.ts';
import { livesOf } from '../../process/trace/process-mark.ts';
import { removeContainer } from '../engine/run-container.ts';
import type { Marks } from './keeper-protocol.ts';

/** Who asks. */
export interface Reaper {
  readonly marks: Marks;
  readonly keeper: string;
  /** The ids of daemons that are known to be dead. */
  readonly dead: readonly string[];
  /** Whether this keeper holds the container. */
  readonly holds: (id: string) => boolean;
}

/** A container of ours that nobody holds is being created, or its creation was never confirmed. */
const UNCONFIRMED_S = 120;

/** Removes them and returns how many there were. Rejects if the engine does not answer. */
export async function reap(engine: Engine, reaper: Reaper): Promise<number> {
  const filters = { label: [SANDBOX_LABEL] };
  const containers = await engine.docker.listContainers({ all: true, filters });
  const left = containers.filter((container) => isLeft(container, reaper, Date.now() / 1000));
  await Promise.all(left.map(({ Id }) => removeContainer(engine, Id)));
  return left.length;
}

/** Never true of a container whose daemon may be alive. */
export function isLeft(
  { Id, Labels, Created }: Pick<ContainerInfo, 'Id' | 'Labels' | 'Created'>,
  { marks, keeper, dead, holds }: Reaper,
  nowS: number,
): boolean {
  const old = nowS - Created > UNCONFIRMED_S;
  // Each keeper of a daemon follows the death of the one before it.
  if (Labels[DAEMON_LABEL] === marks.daemon) return Labels[KEEPER_LABEL] !== keeper || (old && !holds(Id));
  const lives = livesOf(Labels[PROCESS_LABEL] ?? '');
  if (lives !== null) return !lives;
  return dead.includes(Labels[DAEMON_LABEL] ?? '');
}

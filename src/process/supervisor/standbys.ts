/** The standbys of a supervisor: one for each owner and each kind of command that it has run lately. */
import type { RunCgroup } from '../limits/run-cgroup.ts';
import type { ProcessOwner } from '../process-host.ts';
import { type Purpose, type Standby, startStandby } from './standby.ts';

export interface Standbys {
  /** One that was prepared after a command that is like this one in all of this; nobody else gets it. Null if there is none. */
  take(purpose: Purpose): Standby | null;
  /** Prepares one for the next command that is like this one, unless one is there. */
  prepare(purpose: Purpose): void;
  /** How many processes of an owner wait for a command: they count in its cgroup, and are none of its commands. */
  waitingTasks(owner: ProcessOwner): number;
  /** Ends those of an owner, and resolves when they are gone. */
  end(owner: ProcessOwner): Promise<void>;
  endAll(): Promise<void>;
}

/** The one that was prepared first makes room for another, but no young one: where more foci take turns, none would live until it is used. */
const MAX_STANDBYS = 16;
const YOUNG_MS = 5000;
/** Processes of one that waits: `unshare`, process 1 of its namespace, and the shell at its gate. */
const TASKS = 3;
/** An owner with fewer processes has none to spare. */
const LEAST_PROCESSES = 100;

/** `addCgroup` makes a cgroup for one of its owner, which has so many tasks that wait then. */
export function createStandbys(
  addCgroup: (owner: ProcessOwner, name: string, waitingTasks: number) => RunCgroup | null,
): Standbys {
  /** Until they are gone. */
  const kept = new Set<Standby>();
  let made = 0;

  const waiting = (): readonly Standby[] => [...kept].filter((each) => each.isWaiting());
  const waitingTasks = (owner: ProcessOwner): number => waiting().filter((each) => each.owner === owner).length * TASKS;

  const endThose = async (which: (each: Standby) => boolean): Promise<void> => {
    await Promise.all([...kept].filter(which).map((each) => each.end()));
  };

  return {
    take(purpose) {
      const found = waiting().find((each) => isFor(each, purpose));
      if (!found || found.isWhole()) return found ?? null;
      void found.end();
      return null;
    },
    prepare(purpose) {
      const { owner, line, limits } = purpose;
      if (line.place?.closed.aborted !== false || limits.processes < LEAST_PROCESSES) return;
      const others = waiting();
      if (others.some((each) => isFor(each, purpose))) return;
      if (others.length >= MAX_STANDBYS) {
        const oldest = others[0]!;
        if (performance.now() - oldest.startedAt < YOUNG_MS) return;
        void oldest.end();
      }
      const name = `standby-${++made}`;
      const standby = startStandby(purpose, () => addCgroup(owner, name, waitingTasks(owner) + TASKS));
      if (standby === null) return;
      kept.add(standby);
      void standby.gone.then(() => kept.delete(standby));
    },
    waitingTasks,
    end: (owner) => endThose((each) => each.owner === owner),
    endAll: () => endThose(() => true),
  };
}

/** The same place, the same mounts of its own, the same limits: also those of the cgroup that the standby is in. */
function isFor(standby: Standby, { owner, line: { place, file, waiting }, limits }: Purpose): boolean {
  const { line } = standby;
  return (
    standby.owner === owner &&
    place !== undefined &&
    line.place?.closed === place.closed &&
    line.file === file &&
    JSON.stringify([standby.limits, line.waiting?.args]) === JSON.stringify([limits, waiting?.args])
  );
}

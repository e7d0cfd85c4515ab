/** The standbys of a supervisor: one for each owner and each kind of command that it has run lately. */
import type { RunCgroup } from '../limits/run-cgroup.ts';
import type { ProcessOwner } from '../process-host.ts';
import { type Purpose, type Standby, startStandby } from './standby.ts';

export interface Standbys {
  /** One that was prepared after a command that is like this one in all of this; nobody else gets it. Null if there is none. */
  take(purpose: Purpose): Standby | null;
  /** Prepares one for the next command that is like this one, unless one is there. */
  prepare(purpose: Purpose): void;
  /** Ends those of an owner, and resolves when they are gone. */
  end(owner: ProcessOwner): Promise<void>;
  endAll(): Promise<void>;
}

/** The one that was prepared first goes first. */
const MAX_STANDBYS = 16;
/** An owner with fewer processes has none to spare. */
const LEAST_PROCESSES = 100;

/** `addCgroup` makes a cgroup for one. */
export function createStandbys(addCgroup: (owner: ProcessOwner, name: string) => RunCgroup | null): Standbys {
  const kept = new Set<Standby>();
  let made = 0;

  const endThose = async (which: (each: Standby) => boolean): Promise<void> => {
    await Promise.all([...kept].filter(which).map((each) => each.end()));
  };

  return {
    take(purpose) {
      const found = [...kept].find((each) => isFor(each, purpose));
      if (!found) return null;
      if (!found.isWhole()) {
        void found.end();
        return null;
      }
      kept.delete(found);
      return found;
    },
    prepare(purpose) {
      const { owner, line, limits } = purpose;
      if (line.place?.closed.aborted !== false || limits.processes < LEAST_PROCESSES) return;
      if ([...kept].some((each) => isFor(each, purpose))) return;
      const name = `standby-${++made}`;
      const standby = startStandby(purpose, () => addCgroup(owner, name));
      if (standby === null) return;
      kept.add(standby);
      void standby.gone.then(() => kept.delete(standby));
      const [oldest] = kept;
      if (kept.size > MAX_STANDBYS) void oldest?.end();
    },
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

/** The standbys of a supervisor: one for each owner and each kind of command that it has run lately. */
import type { ProcessLimits } from '../limits/limits.ts';
import type { RunCgroup } from '../limits/run-cgroup.ts';
import type { ProcessOwner } from '../process-host.ts';
import type { StartLine } from '../runners/runner.ts';
import { type Standby, startStandby } from './standby.ts';

export interface Standbys {
  /** One that was prepared for such a line and this owner; nobody else gets it. Null if there is none. */
  take(owner: ProcessOwner, line: StartLine): Standby | null;
  /** Prepares one for the next line like this one, unless one is there. */
  prepare(owner: ProcessOwner, line: StartLine, limits: ProcessLimits): void;
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
    take(owner, line) {
      const found = [...kept].find((each) => each.owner === owner && isFor(each, line));
      if (!found) return null;
      if (!found.isWhole()) {
        void found.end();
        return null;
      }
      kept.delete(found);
      return found;
    },
    prepare(owner, line, limits) {
      const { place } = line;
      if (!place || place.closed.aborted || limits.processes < LEAST_PROCESSES) return;
      if ([...kept].some((each) => each.owner === owner && isFor(each, line))) return;
      const name = `standby-${++made}`;
      const standby = startStandby(owner, line, () => addCgroup(owner, name));
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

/** The same place, the same mounts of its own, the same limits. */
function isFor(standby: Standby, { place, file, waiting }: StartLine): boolean {
  const { line } = standby;
  return (
    place !== undefined &&
    line.place?.closed === place.closed &&
    line.file === file &&
    JSON.stringify(line.waiting?.args) === JSON.stringify(waiting?.args)
  );
}

/** The cgroups of a supervisor: one for each owner that has runs, made when they are needed; none where the host has no cgroup v2. */
import { createHash } from 'node:crypto';
import { type CgroupPlace, makeCgroupPlace, removeCgroupPlace } from './cgroup-place.ts';
import type { ProcessLimits } from './limits.ts';
import { makeOwnerCgroup, type OwnerCgroup, type RunCgroup } from './run-cgroup.ts';

export interface OwnerCgroups {
  /** A cgroup for a run, under the limits of its owner as they are now; null where there is none to be had. */
  addRun(owner: string, run: string, limits: ProcessLimits): RunCgroup | null;
  /** When everything of the owner is dead. */
  remove(owner: string): void;
  close(): void;
}

/** Makes its place when the first run asks for it. */
export function createOwnerCgroups(): OwnerCgroups {
  let place: CgroupPlace | null | undefined;
  const owners = new Map<string, OwnerCgroup>();

  const ownerOf = (owner: string): OwnerCgroup | null => {
    const known = owners.get(owner);
    if (known) return known;
    place ??= makeCgroupPlace();
    const made = place && makeOwnerCgroup(place.path, nameOf(owner), place.controlled);
    if (made) owners.set(owner, made);
    return made;
  };

  return {
    addRun(owner, run, limits) {
      const group = ownerOf(owner);
      group?.limit(limits);
      return group?.addRun(run) ?? null;
    },
    remove(owner) {
      owners.get(owner)?.remove();
      owners.delete(owner);
    },
    close() {
      for (const owner of owners.values()) owner.remove();
      owners.clear();
      if (place) removeCgroupPlace(place.path);
    },
  };
}

/** For hosts without cgroup v2, and for tests that play one. */
export const NO_CGROUPS: OwnerCgroups = { addRun: () => null, remove: () => {}, close: () => {} };

/** An owner's name may hold what a directory's may not. */
function nameOf(owner: string): string {
  return /^[\w-]{1,64}$/.test(owner) ? owner : createHash('sha256').update(owner).digest('hex').slice(0, 32);
}

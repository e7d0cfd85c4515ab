/** The cgroups of a supervisor: one per owner that has runs, created on demand. None if the host has no cgroup v2. */
import { createHash } from 'node:crypto';
import { type CgroupPlace, makeCgroupPlace, removeCgroupPlace } from './cgroup-place.ts';
import type { ProcessLimits } from './limits.ts';
import { makeOwnerCgroup, type OwnerCgroup, type RunCgroup } from './run-cgroup.ts';

export interface OwnerCgroups {
  /** Creates a cgroup for a run under the current limits of its owner; null if that is not possible. */
  addRun(owner: string, run: string, limits: ProcessLimits): RunCgroup | null;
  /** Removes the owner's cgroups. Call it when all processes of the owner are dead. */
  remove(owner: string): void;
  close(): void;
}

/** Creates the place for all cgroups when the first run needs it. */
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

/** For hosts without cgroup v2, and for tests that simulate one. */
export const NO_CGROUPS: OwnerCgroups = { addRun: () => null, remove: () => {}, close: () => {} };

/** An owner's name can contain characters that a directory name cannot. */
function nameOf(owner: string): string {
  return /^[\w-]{1,64}$/.test(owner) ? owner : createHash('sha256').update(owner).digest('hex').slice(0, 32);
}

/** The cgroups of a supervisor: one per owner that has runs, created on demand. None if the host has no cgroup v2. */
import { createHash } from 'node:crypto';
import { type CgroupPlace, makeCgroupPlace, removeCgroupPlace } from './cgroup-place.ts';
import type { ProcessLimits } from './limits.ts';
import { makeOwnerCgroup, type OwnerCgroup, type RunCgroup } from './run-cgroup.ts';

export interface OwnerCgroups {
  /** Creates a cgroup for a run under the current limits of its owner; null if that is not possible. */
  addRun(owner: string, run: string, limits: ProcessLimits): RunCgroup | null;
  /** Sets the current limits of an owner that has a cgroup. */
  limit(owner: string, limits: ProcessLimits): void;
  /** Removes the owner's cgroups. Call it when all processes of the owner are dead. Until the kernel has let go of them, it is tried again. */
  remove(owner: string): void;
  close(): void;
}

/** For how long the removal of a cgroup is tried again, with pauses that double. */
const FIRST_PAUSE_MS = 5;
const LAST_PAUSE_MS = 5000;

/** Creates the place for all cgroups when the first run needs it. */
export function createOwnerCgroups(): OwnerCgroups {
  let place: CgroupPlace | null | undefined;
  const owners = new Map<string, OwnerCgroup>();
  const retries = new Map<string, NodeJS.Timeout>();

  const ownerOf = (owner: string): OwnerCgroup | null => {
    // It is in use again.
    clearTimeout(retries.get(owner));
    retries.delete(owner);
    const known = owners.get(owner);
    if (known) return known;
    place ??= makeCgroupPlace();
    const made = place && makeOwnerCgroup(place.path, nameOf(owner), place.controlled);
    if (made) owners.set(owner, made);
    return made;
  };

  const remove = (owner: string, pauseMs: number): void => {
    retries.delete(owner);
    if (owners.get(owner)?.remove() !== false) return void owners.delete(owner);
    if (pauseMs > LAST_PAUSE_MS) return;
    retries.set(owner, setTimeout(() => remove(owner, pauseMs * 2), pauseMs).unref());
  };

  return {
    addRun(owner, run, limits) {
      const group = ownerOf(owner);
      group?.limit(limits);
      return group?.addRun(run) ?? null;
    },
    limit: (owner, limits) => owners.get(owner)?.limit(limits),
    remove(owner) {
      clearTimeout(retries.get(owner));
      remove(owner, FIRST_PAUSE_MS);
    },
    close() {
      for (const retry of retries.values()) clearTimeout(retry);
      for (const owner of owners.values()) owner.remove();
      owners.clear();
      if (place) removeCgroupPlace(place.path);
    },
  };
}

/** For hosts without cgroup v2, and for tests that simulate one. */
export const NO_CGROUPS: OwnerCgroups = { addRun: () => null, limit: () => {}, remove: () => {}, close: () => {} };

/** An owner's name can contain characters that a directory name cannot. */
function nameOf(owner: string): string {
  return /^[\w-]{1,64}$/.test(owner) ? owner : createHash('sha256').update(owner).digest('hex').slice(0, 32);
}

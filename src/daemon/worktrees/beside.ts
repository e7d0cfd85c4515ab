/**
 * What is being made for a worktree, or removed from it, is beside it under a name that nobody else uses, and is renamed while the lease
 * holds: a daemon that was frozen, and whose work another one has taken over, goes on with its own files only.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Lease, whileHeld } from '../../core/lifecycle/lease.ts';
import { removeRenamed } from '../../process/remove-directory.ts';

type Purpose = 'making' | 'gone';

/** A name for it that nothing has yet. */
export function beside(path: string, purpose: Purpose): string {
  return join(dirname(path), `.${purpose}-${basename(path)}-${randomUUID().slice(0, 8)}`);
}

/** Removes what is at the path, if anything is. Errors: `work.lease_lost`. */
export async function removeAt(path: string, lease: Lease): Promise<void> {
  const gone = await moveAside(path, lease);
  if (gone !== null) await removeRenamed(gone);
}

/** Renames what is at the path, and returns where it is to be removed; null: nothing was there. Errors: `work.lease_lost`. */
export async function moveAside(path: string, lease: Lease): Promise<string | null> {
  const gone = beside(path, 'gone');
  return (await whileHeld(lease, () => renameIfThere(path, gone))) ? gone : null;
}

/** Removes what crashes have left beside it. Errors: `work.lease_lost`. */
export async function removeLeftovers(path: string, lease: Lease): Promise<void> {
  const left = await whileHeld(lease, () => readdirSync(dirname(path)).filter((name) => isLeftover(name, path)));
  for (const name of left) await removeRenamed(join(dirname(path), name));
}

/** Also of versions whose names had no end. */
function isLeftover(name: string, path: string): boolean {
  return (['making', 'gone'] satisfies Purpose[])
    .map((purpose) => `.${purpose}-${basename(path)}`)
    .some((begin) => name === begin || name.startsWith(`${begin}-`));
}

/** Returns false where nothing is. */
export function renameIfThere(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Which directory of worktrees this is. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../core/files/regular-file.ts';

/** A directory of worktrees: absolute real path, and the id in its file `.place`, by which the database knows it. */
export interface Place {
  readonly path: string;
  readonly place: string;
}

/** The directory of worktrees in an ANIMUS_HOME; null: there is none, or no worktree was ever made in it. Throws where it cannot be read. */
export function placeOf(home: string): Place | null {
  try {
    const path = realpathSync(join(home, 'worktrees'));
    const place = readRegularFile(join(path, '.place'), { maxBytes: 100, followLink: false }).toString('latin1').trim();
    return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(place) ? { path, place } : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Which directory of worktrees this is. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { readPlace, type WorktreesRoot } from '../worktrees/worktrees-root.ts';

/** The directory of worktrees in an ANIMUS_HOME; null: there is none, or no worktree was ever made in it. Throws where it cannot be read. */
export function placeOf(home: string): WorktreesRoot | null {
  try {
    const path = realpathSync(join(home, 'worktrees'));
    const place = readPlace(path);
    return place === null ? null : { path, place };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

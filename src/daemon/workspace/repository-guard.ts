/** Watches for the one name that git obeys in a repository's directory, and that no mount can keep from being made there. */
import { existsSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Stops watching. */
export interface RepositoryGuard {
  close(): void;
}

/**
 * Removes a file `commondir` from the git directory of a repository as soon as it appears: only a linked worktree's directory has one,
 * and git would take its configuration from where it leads. `onForged` is called each time. A directory that cannot be watched is
 * looked at when the guard is closed.
 */
export function guardRepository(commonDir: string, onForged: () => void): RepositoryGuard {
  const file = join(commonDir, 'commondir');
  const look = () => {
    if (!existsSync(file)) return;
    rmSync(file, { recursive: true, force: true });
    onForged();
  };
  const watcher = tryWatch(commonDir, look);
  return {
    close() {
      watcher?.close();
      look();
    },
  };
}

function tryWatch(directory: string, look: () => void) {
  try {
    const watcher = watch(directory, { persistent: false }, (_event, name) => {
      if (name === 'commondir') look();
    });
    // The repository is gone, or the host has no watches left.
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

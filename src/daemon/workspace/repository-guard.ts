/** Watches for the one file that git obeys in a repository's directory and whose creation no mount can prevent. */
import { existsSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Stops watching. */
export interface RepositoryGuard {
  close(): void;
}

/**
 * Removes a file `commondir` from the git directory of a repository as soon as it appears. Only a linked worktree's directory has one,
 * and git would read its configuration from the directory it names. Calls `onForged` each time. A directory that cannot be watched is
 * checked when the guard is closed.
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
    // The repository no longer exists, or the host has no inotify watches left.
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

/** The isolation of what a focus runs on this host: hooks, servers, git, and `bash` without a container. */
import type { Faculty } from '../../../catalog/faculty/faculty.ts';
import type { Isolation } from '../../../process/process-host.ts';

/** What the faculty says, else the best that this host can do (`best`). */
export function hostIsolation({ engage, bashContainer }: Faculty, best: Isolation): Isolation {
  if (engage.bashIsolation !== null) return engage.bashIsolation;
  // A container never runs as root, so with a daemon that does, the files of the focus belong to another user, whom the rest must be, too.
  return bashContainer && process.getuid?.() === 0 ? 'uid' : best;
}

/** The runner `uid`: a command runs as the owner of its working directory, with `setpriv` from util-linux. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { asUser, runAsUser, userOf } from './as-user.ts';
import type { Runner } from './runner.ts';
import { FIRST_SPARE_UID } from './spare-users.ts';
import { behindGate } from './start-gate.ts';

/** Needs Linux, util-linux and a daemon that runs as root. */
export const uidRunner: Runner = {
  words: {
    apart: 'as another user without privileges, the owner of their directory',
    hides:
      'they cannot read the memory, environment and private files of the daemon, signal it, or write files of other users',
    leaves: 'they can list all processes, and read files that are open to every user',
  },
  examine: () => Promise.resolve(tryUser()),
  homeProblem,
  placeProblem(directory) {
    const user = userOf(directory);
    return typeof user === 'string' ? user : null;
  },
  start({ command, args, cwd, maxTasks }) {
    const user = userOf(cwd);
    if (typeof user === 'string') return user;
    // A user with an account may have other processes, which would count towards the limit.
    const { gated, ...last } = behindGate(command, args, user.isSpare ? maxTasks : null);
    const line = asUser(last.command, last.args, user);
    return line === null ? 'this host has no setpriv (util-linux is needed)' : { ...line, gated, user };
  },
  diesWithLeader: false,
  runsAsOwner: true,
};

function tryUser(): string | null {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'needs a daemon that runs as root';
  const user = { uid: FIRST_SPARE_UID, gid: FIRST_SPARE_UID };
  const id = runAsUser('id', ['-u'], user)?.trim();
  if (id === String(user.uid)) return null;
  return 'needs setpriv (util-linux) and permission to switch to other users, which this container may lack';
}

/** Reports the first directory above the home that other users cannot pass through. The home itself is opened by animus. */
function homeProblem(home: string): string | null {
  for (let directory = dirname(home); ; directory = dirname(directory)) {
    const stats = statSync(directory, { throwIfNoEntry: false });
    if (stats && (stats.mode & 0o001) === 0) {
      const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
      return `other users cannot enter ${directory} (mode ${mode}); set ANIMUS_HOME to a path that they can reach, such as /var/lib/animus`;
    }
    if (directory === dirname(directory)) return null;
  }
}

/** Runs a command as another user without privileges, the owner of its working directory, with `setpriv` from util-linux. */

import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { isSpareUserOf } from './spare-users.ts';
import { SYSTEM_PATH, systemProgram } from './start-gate.ts';
import type { User } from './user.ts';

/** Returns the user that a command in `directory` would run as, or the reason why it cannot run as its owner. */
export function userOf(directory: string): User | string {
  if (process.getuid?.() !== 0) return 'isolation "uid" needs a daemon that runs as root';
  const { uid, gid } = statSync(directory);
  if (uid !== 0) return { uid, gid, ...(isSpareUserOf(directory, uid) && { isSpare: true }) };
  return `isolation "uid" runs commands as the owner of ${directory}, which is root; give it to another user (chown -R USER ${directory}), or choose another bash_isolation`;
}

/** Returns the command line that runs `command` as the user, without capabilities and without a way to gain any; null without setpriv. */
export function asUser(
  command: string,
  args: readonly string[],
  { uid, gid }: User,
): { readonly command: string; readonly args: readonly string[] } | null {
  const setpriv = findSetpriv();
  if (setpriv === null) return null;
  const who = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  const without = ['--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all'];
  return { command: setpriv, args: [...who, ...without, '--pdeathsig', 'KILL', '--', command, ...args] };
}

/** Runs a short command as the user and returns its output; null if it could not be run. Blocks for at most 5 s. */
export function runAsUser(command: string, args: readonly string[], user: User): string | null {
  const line = asUser(command, args, user);
  if (line === null) return null;
  const { status, stdout, error } = spawnSync(line.command, line.args, {
    encoding: 'latin1',
    cwd: '/',
    env: { PATH: SYSTEM_PATH },
    timeout: 5000,
    killSignal: 'SIGKILL',
    maxBuffer: 16 * 1024 * 1024,
  });
  return error || status === null ? null : stdout;
}

/** Kills all processes of a spare user at once, so that no fork can escape. Does nothing to any other user. */
export function killAllOf(user: User): void {
  // kill(-1) signals every process that the caller may signal, so the user itself must call it.
  if (user.isSpare) runAsUser('sh', ['-c', 'kill -KILL -1'], user);
}

function findSetpriv(): string | null {
  return process.platform === 'linux' ? systemProgram('setpriv') : null;
}

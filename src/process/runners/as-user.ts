/** Runs a command as the owner of its working directory by util-linux's `setpriv`: another user, without any privilege. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { SYSTEM_PATH, systemProgram } from './start-gate.ts';

/** The user that a command runs as; never root. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Users that have no account and own nothing but a focus's directory: no allocator of user ids uses this range. What
 * runs as one of them belongs to its focus alone.
 */
export const FIRST_SPARE_UID = 1_900_000_000;
const SPARE_UIDS = 100_000_000;

/** A spare user; the same number gives the same user. */
export function spareUser(number: number): User {
  const uid = FIRST_SPARE_UID + (number % SPARE_UIDS);
  return { uid, gid: uid };
}

/** True for users of animus's own. */
export function isSpare({ uid }: User): boolean {
  return uid >= FIRST_SPARE_UID && uid < FIRST_SPARE_UID + SPARE_UIDS;
}

/** The user as whom a command that starts in `directory` would run, or why that is impossible. */
export function userOf(directory: string): User | string {
  if (process.getuid?.() !== 0) return 'isolation "uid" needs a daemon that runs as root';
  const { uid, gid } = statSync(directory);
  if (uid !== 0) return { uid, gid };
  return `isolation "uid" runs commands as the owner of ${directory}, and that is root; give it to another user (chown -R USER ${directory}), or choose another bash_isolation`;
}

/** The command line that runs `command` as the user, with no capability and no way to gain one; null without setpriv. */
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

/** Runs a short command as the user and waits for it; null when it could not be run. */
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

/** Kills every process of a spare user at once: no fork can escape it. */
export function killAllOf(user: User): void {
  // kill(-1) spares nobody of that user but the caller, so it has to be the user's own call.
  if (isSpare(user)) runAsUser('sh', ['-c', 'kill -KILL -1'], user);
}

function findSetpriv(): string | null {
  return process.platform === 'linux' ? systemProgram('setpriv') : null;
}

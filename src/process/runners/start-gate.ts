/**
 * The start gate. The last step before a command is a shell that reports "ready" and waits for permission, both over a
 * pipe to the supervisor. By then all previous steps have armed their parent-death signals, and the supervisor can check
 * that its child is alive. If the supervisor has died, the shell reads an end of file, and the command is not started.
 */
import { findProgram } from '../find-program.ts';
import type { StartLine } from './runner.ts';

/** The search path for system programs; does not depend on a command's environment. */
export const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin';

/** What the gate says when it was reached. */
export const READY = 'r';
/** The line that opens the gate. */
export const GO = '\n';

/**
 * A script for `sh -c`, with `maxTasksOf` and the command as its arguments. It never runs the command without permission.
 * The option of `ulimit` differs between shells.
 */
export const GATE = `printf ${READY} >&3 && read -r go <&3 || exit 125
[ "$1" = - ] || ulimit -u "$1" 2>/dev/null || ulimit -p "$1" 2>/dev/null
shift; exec "$@" 3>&-`;

/**
 * Returns the first argument of the gate: how many processes and threads the command's user may have; null leaves the
 * limit unchanged. It is somewhat higher than the given limit, so that the supervisor sees the limit exceeded and stops
 * the run, instead of letting its forks fail.
 */
export function maxTasksOf(maxTasks: number | null): string {
  return maxTasks === null ? '-' : String(Math.ceil(maxTasks * 1.25) + 16);
}

/** Returns the command behind a gate, or the command itself if the host has no `sh`. */
export function behindGate(command: string, args: readonly string[], maxTasks: number | null = null): StartLine {
  const sh = systemProgram('sh');
  return sh === null
    ? { command, args, gated: false }
    : { command: sh, args: ['-c', GATE, sh, maxTasksOf(maxTasks), command, ...args], gated: true };
}

/** Returns the absolute path of a system program, or null. */
export function systemProgram(name: string): string | null {
  return process.platform === 'win32' ? null : findProgram(name, SYSTEM_PATH, '/');
}

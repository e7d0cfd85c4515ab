/**
 * The start gate: the last step before a command is a shell that says «ready» and waits for leave, over one pipe that the
 * supervisor holds. By then the death signals of the steps before are armed, and the supervisor has seen that its child
 * lives; a supervisor that is gone by then leaves an end of file behind, and nothing starts.
 */
import { findProgram } from '../find-program.ts';
import type { StartLine } from './runner.ts';

/** The search path for system programs, independent of the environment of a command. */
export const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin';

/** The line that opens the gate; any output of the gate means that it was reached. */
export const GO = '\n';

/**
 * For `sh -c`, with `maxTasksOf` and the command as its arguments: it never runs without leave. The name of the limit
 * differs from shell to shell.
 */
export const GATE = `printf r >&3 && read -r go <&3 || exit 125
[ "$1" = - ] || ulimit -u "$1" 2>/dev/null || ulimit -p "$1" 2>/dev/null
shift; exec "$@" 3>&-`;

/**
 * The first argument of the gate: how many processes and threads the command's user may have, null for as many as before.
 * Somewhat more than the limit, so that the supervisor sees it passed, and stops the run instead of letting it fail at forks.
 */
export function maxTasksOf(maxTasks: number | null): string {
  return maxTasks === null ? '-' : String(Math.ceil(maxTasks * 1.25) + 16);
}

/** The command behind a gate; as it is where the host has no `sh`. */
export function behindGate(command: string, args: readonly string[], maxTasks: number | null = null): StartLine {
  const sh = systemProgram('sh');
  return sh === null
    ? { command, args, gated: false }
    : { command: sh, args: ['-c', GATE, sh, maxTasksOf(maxTasks), command, ...args], gated: true };
}

/** A program of the system by absolute path, or null. */
export function systemProgram(name: string): string | null {
  return process.platform === 'win32' ? null : findProgram(name, SYSTEM_PATH, '/');
}

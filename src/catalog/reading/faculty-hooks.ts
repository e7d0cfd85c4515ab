/** Checks the executables that a faculty names for its phases. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../../core/errors/errors.ts';
import { showValue } from '../../core/errors/problem.ts';
import type { PhaseHook } from '../faculty/phase-hook.ts';
import { conflict, type FacultyCheck, given } from './faculty-check.ts';

/** The hook of a phase, even if it has problems; null if the phase has none. */
export function readHook(
  check: FacultyCheck,
  phase: 'orient' | 'engage' | 'consolidate' | 'recover',
): PhaseHook | null {
  const written = given(check, phase, 'command');
  if (typeof written !== 'string') return null;
  const command = programAt(check.directory, written);
  const problem = hookProblem(written, command);
  if (problem !== null) conflict(check, [phase, 'command'], problem);
  const hook = check.document.sound?.faculty[phase];
  return hook ? { command, args: hook.args, timeoutSeconds: hook.timeout_seconds } : null;
}

/** The command to start: absolute if it is written with a slash, else a name on the PATH. */
export function programAt(directory: string, written: string): string {
  return written.includes('/') ? resolve(directory, written) : written;
}

/** `engage` of mode external needs a command; these phases have settings that work without one. */
export function checkOptionalHooks(check: FacultyCheck): void {
  for (const phase of ['orient', 'consolidate', 'recover']) {
    if (given(check, phase, 'command') !== undefined) continue;
    for (const key of ['args', 'timeout_seconds']) {
      if (given(check, phase, key) !== undefined) conflict(check, [phase, key], 'has no effect without a command');
    }
  }
}

/** Why a command cannot be run, as written and as an absolute path or a name on the PATH; null if it can. */
export function hookProblem(written: string, command: string): string | null {
  if (!written.includes('/')) {
    return /\s/.test(written) ? `${showValue(written)} is not a program${argumentsHint(written)}` : null;
  }
  try {
    if (!statSync(command).isFile()) return `${command} is not a file`;
    accessSync(command, constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') return `${command} is not executable; run: chmod +x ${command}`;
    if (code === 'ENOENT') return `${command} does not exist${argumentsHint(written)}`;
    return `${command}: ${messageOf(error)}`;
  }
}

/** A hint for `command = "check.sh --fast"`, which a shell would accept. */
function argumentsHint(written: string): string {
  const [program, ...args] = written.trim().split(/\s+/);
  if (args.length === 0) return '';
  return `: command is the program only; write command = ${showValue(program)} and args = [${args.map(showValue).join(', ')}]`;
}

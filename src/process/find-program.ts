/** Looks up a command as the system would, to distinguish a missing command from other failures. */
import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Returns the absolute path at which execvp would find a command, or null. */
export function findProgram(command: string, path: string, cwd: string): string | null {
  const candidates = command.includes('/')
    ? [isAbsolute(command) ? command : resolve(cwd, command)]
    : path.split(delimiter).map((directory) => join(resolve(cwd, directory), command));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Explains why the system would refuse to run a script and how to fix it. Null for scripts that can run and for binaries.
 * The system itself reports all of these problems as "no such file" or "exec format error".
 */
export function scriptProblem(file: string): string | null {
  const head = headOf(file);
  if (head === null) return null;
  if (head === '') return `${file} is empty`;
  if (head.includes('\0')) return null;
  if (!head.startsWith('#!')) return `${file} has no first line that names its interpreter, such as #!/bin/sh`;
  const line = head.split('\n', 1)[0]!.slice(2);
  if (line.endsWith('\r'))
    return `${file} has Windows line endings (CRLF); save it with Unix line endings: sed -i 's/\\r$//' ${file}`;
  const interpreter = line.trim().split(/\s/, 1)[0] ?? '';
  if (!isAbsolute(interpreter) || existsSync(interpreter)) return null;
  return `${file} names the interpreter ${interpreter}, which is not on this host`;
}

const HEAD_BYTES = 256;

/** Null for a file that can be executed but not read. */
function headOf(file: string): string | null {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const head = Buffer.alloc(HEAD_BYTES);
    return head.toString('latin1', 0, readSync(descriptor, head));
  } catch {
    return null;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

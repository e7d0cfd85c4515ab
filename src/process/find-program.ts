/** Finds a command as the system would, to distinguish a missing command from other failures. */
import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Where execvp would find a command: its absolute path, or null. */
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
 * Why the system would refuse to run a script, with the remedy; null for runnable scripts and for binaries. The system
 * itself reports each of these as «no such file» or «exec format error».
 */
export function scriptProblem(file: string): string | null {
  const head = headOf(file);
  if (head === null) return null;
  if (head === '') return `${file} is empty`;
  if (head.includes('\0')) return null;
  if (!head.startsWith('#!')) return `${file} has no first line that names its interpreter, such as #!/bin/sh`;
  const line = head.split('\n', 1)[0]!.slice(2);
  if (line.endsWith('\r'))
    return `${file} has line ends of Windows (CRLF); save it with Unix line ends: sed -i 's/\\r$//' ${file}`;
  const interpreter = line.trim().split(/\s/, 1)[0] ?? '';
  if (!isAbsolute(interpreter) || existsSync(interpreter)) return null;
  return `${file} names the interpreter ${interpreter}, which is not on this host`;
}

const HEAD_BYTES = 256;

/** Null for a file that may be run but not read. */
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

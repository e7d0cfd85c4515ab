/** Finds a command as the system would, so that a missing one is told apart from all else that can go wrong. */
import { accessSync, constants, statSync } from 'node:fs';
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

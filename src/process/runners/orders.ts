/**
 * What a process that waits in a place is told over the pipe of its gate: the command with its directory and environment, as lines that the shell takes
 * as they are. Nothing of it is parsed as a script, and `env -i` makes the environment, so no name of a variable means anything to the shell.
 */
import { resolve } from 'node:path';
import { GATE } from './start-gate.ts';

/** What the process says when it waits for orders. */
export const WAITS = 's';

/** Where it has the file with the text of its standard input. */
const TEXT = 5;

/**
 * A script for `sh -c`. The first line is the number of words, the next ones are the words: whether there is a text, the directory, the first argument
 * of GATE, the path of `env` and the command with its variables. If the supervisor dies on the way, a line or the permission is missing, and nothing runs.
 */
export const TAKE_ORDERS = `printf ${WAITS} >&3 && read -r left <&3 || exit 125
set --
while [ "$left" -gt 0 ]; do
  IFS= read -r word <&3 || exit 125
  case $word in *\\\\*) word=$(printf %b. "$word"); word=\${word%.};; esac
  set -- "$@" "$word"
  left=$((left - 1))
done
if [ "$1" = text ]; then exec <&${TEXT}; fi
exec ${TEXT}<&-
cd -P "$2" || exit 125
tasks=$3 env=$4; shift 4
set -- "$tasks" "$env" -i -- PWD="$PWD" "$@"
${GATE}`;

/** A command for a process that waits. */
export interface Order {
  /** Absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** As `maxTasksOf` says. */
  readonly maxTasks: string;
  readonly environment: Readonly<Record<string, string>>;
  /** True: its standard input is the file; otherwise it is empty. */
  readonly hasText: boolean;
}

/** The shell reads byte by byte: longer orders take longer than a fresh start. */
const MAX_BYTES = 16 * 1024;
/** It copies all words for each one that it adds. */
const MAX_WORDS = 200;

/** The lines that say it; null if it is too long, or cannot be said in lines. `env`: the path of that program. */
export function ordersOf({ command, args, cwd, maxTasks, environment, hasText }: Order, env: string): string | null {
  const variables = Object.entries(environment);
  const input = hasText ? 'text' : 'none';
  const assigned = variables.map(([name, value]) => `${name}=${value}`);
  const words = [input, resolve(cwd), maxTasks, env, ...assigned, command, ...args];
  const lines = `${words.length}\n${words.map((word) => `${lineOf(word)}\n`).join('')}`;
  // The shell of a fresh start drops other names, and `env` would take such a command for a variable.
  const areNames = variables.every(([name]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  const isShort = words.length <= MAX_WORDS && Buffer.byteLength(lines) <= MAX_BYTES;
  return areNames && isShort && !command.includes('=') && !lines.includes('\0') ? lines : null;
}

/** As `printf %b` reads it. */
function lineOf(word: string): string {
  return word.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/** Several commands as one script of the shell, which runs them one after the other, and the output of each. */
import { randomUUID } from 'node:crypto';

/** What one of the commands wrote. `exitStatus`: NaN if the shell did not report it; above 128 if a signal ended the command, as shells say it. */
export interface CommandOutput {
  readonly exitStatus: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface OneScript {
  /** For `sh -c`. */
  readonly text: string;
  /** Takes apart what the whole script has written. */
  outputs(stdout: string, stderr: string): readonly CommandOutput[];
}

/** One of the commands. */
export interface ScriptCommand {
  readonly words: readonly string[];
  /** Added to its environment; the names are identifiers. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** It gets the standard input of the script; the others get none. */
  readonly reads: boolean;
}

export function oneScript(commands: readonly ScriptCommand[]): OneScript {
  // After each command a line on both streams, which no output contains.
  const mark = `end-${randomUUID()}`;
  return {
    text: commands
      .map((command) => `${lineOf(command)}; printf '\\n${mark} %s\\n' "$?"; printf '\\n${mark} \\n' >&2\n`)
      .join(''),
    outputs(stdout, stderr) {
      const [said, wrote] = [stdout, stderr].map((text) => text.split(`\n${mark} `)) as [string[], string[]];
      return commands.map((_, n) => ({
        exitStatus: Number.parseInt(said[n + 1] ?? '', 10),
        stdout: outputOf(said, n),
        stderr: outputOf(wrote, n),
      }));
    },
  };
}

function lineOf({ words, variables, reads }: ScriptCommand): string {
  const assigned = variables.map(([name, value]) => `${name}=${quoted(value)}`);
  return [...assigned, ...words.map(quoted), ...(reads ? [] : ['</dev/null'])].join(' ');
}

/** All but the first part begin with the rest of a line with a mark. */
function outputOf(parts: readonly string[], n: number): string {
  const part = parts[n] ?? '';
  return n === 0 ? part : part.slice(part.indexOf('\n') + 1);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

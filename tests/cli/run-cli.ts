import { Readable } from 'node:stream';
import { runCli } from '../../src/cli/program.ts';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../src/core/lifecycle/interrupts.ts';
import type { CliContext } from '../../src/terminal/command/command.ts';

/** How a command ended and what it printed. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly stdin?: string;
  /** If given, standard input is a terminal on which these lines are typed; otherwise there is no input. */
  readonly typed?: readonly string[];
  /** Columns of the terminal; if missing: piped. */
  readonly terminal?: number;
  readonly interrupts?: ReturnType<typeof createInterrupts>;
  /** Sees what is printed on standard output as it is printed. */
  readonly onPrint?: (text: string) => void;
  /** The same for standard error. */
  readonly onNote?: (text: string) => void;
  /** What serves HTTP; default: nothing does. */
  readonly http?: Pick<CliContext, 'loadHealth' | 'openApi' | 'serveMcp'>;
}

/** Runs one command in this process, without this process's environment. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { env = {}, cwd = '/nowhere', stdin = '', terminal } = options;
  let [stdout, stderr] = ['', ''];
  const tty = terminal === undefined ? {} : { isTTY: true, columns: terminal };
  const code = await runCli(argv, {
    env: { HOME: '/nowhere', ...env },
    cwd,
    stdin: options.typed === undefined ? Readable.from([stdin]) : typedInput(options.typed),
    stdout: {
      write(text) {
        stdout += text;
        options.onPrint?.(text);
      },
      ...tty,
    },
    stderr: {
      write(text) {
        stderr += text;
        options.onNote?.(text);
      },
    },
    signals: options.interrupts ?? createInterrupts(systemClock),
    ...options.http,
  });
  return { code, stdout, stderr };
}

/** A terminal's input. It ends after the last line, unless nothing is typed at all. */
function typedInput(lines: readonly string[]): Readable {
  const input = new Readable({ read() {} });
  if (lines.length > 0) {
    input.push(lines.map((line) => `${line}\n`).join(''));
    input.push(null);
  }
  return Object.assign(input, { isTTY: true });
}

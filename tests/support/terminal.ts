/** A real terminal (a pty, created by `script` from util-linux) with a program in it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { sharedCompileCache } from './compile-cache.ts';

export interface Terminal {
  /** All output of the program so far, including escape sequences. */
  written(): string;
  /** Resolves when the output so far matches; rejects if the program ends before. */
  until(found: (written: string) => boolean): Promise<string>;
  /** Types text; `\u0003` is Ctrl-C. */
  type(keys: string): void;
  /** The exit code of the program. */
  readonly ended: Promise<number>;
}

/** Runs a shell command line on a terminal of this size. It is stopped after the test. */
export function openTerminal(
  command: string,
  options: { columns: number; rows?: number; cwd: string; env: Record<string, string> },
): Terminal {
  const { columns, rows = 24, cwd, env } = options;
  const sized = `stty cols ${columns} rows ${rows}; exec ${command}`;
  const child = spawn('script', ['-qefc', sized, '/dev/null'], {
    cwd,
    env: { ...sharedCompileCache(), TERM: 'xterm', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let written = '';
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    for (const look of watchers) look();
  });
  const ended = endOf(child);
  return {
    written: () => written,
    ended,
    type: (keys) => void child.stdin.write(keys),
    until: (found) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!found(written)) return;
          watchers.delete(look);
          resolve(written);
        };
        watchers.add(look);
        void ended.then((code) => {
          if (watchers.delete(look)) reject(new Error(`ended with ${code} before it came:\n${written}`));
        });
        look();
      }),
  };
}

function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? -1));
  });
}

/** What a terminal of endless height would show, without overwritten lines. Knows the escape sequences that animus uses. */
export function screenOf(written: string): string[] {
  const lines: string[] = [''];
  let row = 0;
  // oxlint-disable-next-line no-control-regex
  for (const [piece] of written.matchAll(/\u001b\[[0-9;]*[A-Za-z]|\r|\n|[^\u001b\r\n]+/g)) {
    if (piece === '\n') row++;
    else if (piece === '\u001b[2J') lines.length = 0;
    else if (piece === '\u001b[H') row = 0;
    else if (piece === '\u001b[2K') lines[row] = '';
    else if (piece === '\u001b[J') lines.splice(row);
    else if (piece.endsWith('A') && piece.startsWith('\u001b')) row -= Number(piece.slice(2, -1));
    else if (!piece.startsWith('\u001b') && piece !== '\r') lines[row] = (lines[row] ?? '') + piece;
  }
  return lines;
}

/** A newcomer's shell: an empty home, `animus` on the PATH, no key, no database but the embedded one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sharedCompileCache } from './compile-cache.ts';
import { LAUNCHER } from './daemon-process.ts';

export interface Newcomer {
  /** The home, and where commands begin. */
  readonly home: string;
  /** Runs a command line by `sh` to its end; both streams in one. */
  run(command: string, cwd?: string): Promise<{ readonly code: number | null; readonly output: string }>;
  /** Starts a command that goes on until the test has finished (SIGTERM, and its end is waited for). */
  start(command: string, cwd?: string): { readonly output: () => string };
}

/** Makes a home in a temporary directory; it is removed when the test has finished. */
export function newcomer(): Newcomer {
  const home = mkdtempSync(join(tmpdir(), 'animus-newcomer-'));
  // First registered, last run: what was started is stopped before.
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(join(home, '.bin'));
  symlinkSync(LAUNCHER, join(home, '.bin', 'animus'));
  const env = {
    ...sharedCompileCache(),
    HOME: home,
    PATH: `${join(home, '.bin')}:${process.env['PATH'] ?? ''}`,
    LANG: 'C.UTF-8',
  };

  const launch = (command: string, cwd: string) => {
    const child = spawn('sh', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => void chunks.push(chunk));
    }
    return { child, output: () => chunks.join('') };
  };
  return {
    home,
    async run(command, cwd = home) {
      const { child, output } = launch(command, cwd);
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, output: output() };
    },
    start(command, cwd = home) {
      // `exec`: the signal goes to the command, not to the shell.
      const { child, output } = launch(`exec ${command}`, cwd);
      const ended = once(child, 'close');
      onTestFinished(async () => {
        child.kill('SIGTERM');
        await ended;
      });
      return { output };
    },
  };
}

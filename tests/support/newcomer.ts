/** A new user's shell: an empty home, `animus` on the PATH, no key, and only the embedded database. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sharedCompileCache } from './compile-cache.ts';
import { LAUNCHER } from './daemon-process.ts';

export interface Newcomer {
  /** The home, which is also the working directory of commands. */
  readonly home: string;
  /** Runs a command line with `sh` until it exits; both streams in one. */
  run(command: string, cwd?: string): Promise<{ readonly code: number | null; readonly output: string }>;
  /** Starts a command that runs until the test has finished (then SIGTERM, and the test waits for its end). */
  start(command: string, cwd?: string): { readonly output: () => string };
}

/** Creates a home in a temporary directory; it is removed when the test has finished. */
export function newcomer(): Newcomer {
  const home = mkdtempSync(join(tmpdir(), 'animus-newcomer-'));
  // Registered first, so it runs last: started commands are stopped before.
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
      // With `exec`, the signal reaches the command and not the shell.
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

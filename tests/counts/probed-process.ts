/** A child process that counts its own calls of node:fs and what it allocates (probe.ts). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sharedCompileCache } from '../support/compile-cache.ts';
import type { Cost } from './meter.ts';

export interface ProbedProcess {
  /** What it has counted so far; `collect` collects garbage first. */
  read(message: 'read' | 'collect'): Promise<Cost>;
  send(message: object): void;
  /** The next message for which `is` holds; rejects when the process ends. */
  answer<T>(is: (message: unknown) => boolean): Promise<T>;
  /** Rejects when it has ended. */
  readonly over: Promise<never>;
  /** Ends it by SIGTERM and resolves when it has ended. */
  stop(): Promise<void>;
}

const PROBE = join(import.meta.dirname, 'probe.ts');
/** So much room that nothing is collected during a focus. */
const HEAP = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];

/** Starts a program of Node with the environment of this process and `env`. Its output is that of this process, except for stdout. */
export function startProbed(
  argv: readonly string[],
  options: { readonly cwd?: string; readonly env: NodeJS.ProcessEnv },
): ProbedProcess {
  const child = spawn(process.execPath, [...HEAP, '--import', PROBE, ...argv], {
    ...options,
    env: { ...process.env, ...sharedCompileCache(), ...options.env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const over = exited.then(([code]) => Promise.reject(new Error(`the counted process ended with ${code}`)));
  over.catch(() => {}); // whoever waits for something of it gets it
  const answer = <T>(is: (message: unknown) => boolean): Promise<T> => {
    const told = new Promise<T>((resolve) => {
      child.on('message', function look(message) {
        if (!is(message)) return;
        child.off('message', look);
        resolve(message as T);
      });
    });
    return Promise.race([told, over]);
  };
  return {
    over,
    answer,
    read(message) {
      const counted = answer<Cost>((said) => typeof said === 'object' && 'fileCalls' in said!);
      child.send(message);
      return counted;
    },
    send: (message) => void child.send(message),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

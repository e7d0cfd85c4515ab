/** A daemon with containers in a process of its own, which a test may kill or freeze. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { DEFAULT_ENGINE } from '../../../src/core/config/sections/engine-address.ts';
import type { ContainerEnd } from '../../../src/sandbox/container-host.ts';
import { childOf } from './child-of.ts';

/** Reads its input to the end. */
export const OBEDIENT = ['cat'];
/** Reads nothing and ignores signals, as hostile code would. */
export const STUBBORN = ['sh', '-c', 'trap "" TERM HUP INT; while :; do sleep 300; done'];

export interface PlayedDaemon {
  readonly id: string;
  readonly child: ChildProcess;
  /** The ids of its containers, once all run. */
  readonly ids: Promise<readonly string[]>;
  readonly ends: Promise<readonly ContainerEnd[]>;
  /** What it has logged. */
  readonly logged: readonly string[];
  readonly marker: string;
  /** Of its keeper. */
  keeperPid(): number;
}

export function playDaemon(options: {
  readonly commands: readonly (readonly string[])[];
  readonly deadlineMs?: number;
  readonly engine?: string;
  readonly id?: string;
  readonly marker?: string;
}): PlayedDaemon {
  const { id = randomUUID(), engine = DEFAULT_ENGINE, commands, deadlineMs } = options;
  const directory = mkdtempSync(join(tmpdir(), 'animus-played-'));
  const marker = options.marker ?? join(directory, 'in-use');
  const settings = { engine, daemon: id, marker, commands, ...(deadlineMs !== undefined && { deadlineMs }) };
  const program = new URL('daemon-program.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ids = Promise.withResolvers<readonly string[]>();
  const ends = Promise.withResolvers<readonly ContainerEnd[]>();
  const logged: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as { ids?: string[]; ends?: ContainerEnd[]; message?: string };
    if (said.ids) ids.resolve(said.ids);
    if (said.ends) ends.resolve(said.ends);
    if (said.message) logged.push(`${said.message} ${line}`);
  });
  onTestFinished(() => {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });
  const keeperPid = (): number => childOf(child.pid ?? 0);
  return { id, child, ids: ids.promise, ends: ends.promise, logged, marker, keeperPid };
}

/** A Docker engine of a test's own, which it may stop, kill and freeze without disturbing others. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { docker } from '../appliance.ts';

/** The image it has. */
export const SMALL_IMAGE = 'debian:trixie-slim';

export interface OwnEngine {
  /** As DOCKER_HOST has it. */
  readonly address: string;
  /** Where it keeps everything. */
  readonly data: string;
  docker(...args: readonly string[]): Promise<string>;
  /** Starts the engine's process and waits until it answers. */
  start(): Promise<void>;
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void;
  /** Waits until its process has ended. */
  ended(): Promise<void>;
  /** Leaves no space on its disk. */
  fillDisk(): void;
  freeDisk(): void;
  remove(): Promise<void>;
}

/** Why none can be started here; null if one can. */
export function missingOwnEngine(): string | null {
  if (process.getuid?.() !== 0) return 'not root';
  try {
    execFileSync('unshare', ['--net', 'dockerd', '--version'], { stdio: 'pipe' });
    return null;
  } catch {
    return 'no dockerd here, or no network namespaces';
  }
}

/** Prepares and starts an engine with an image, on a disk in memory of this many MiB. */
export async function prepareEngine(flags: readonly string[], image = SMALL_IMAGE, diskMib = 400): Promise<OwnEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'animus-engine-'));
  const data = join(directory, 'data');
  mkdirSync(data);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMib}m,mode=700`, 'tmpfs', data]);
  const socket = join(directory, 'docker.sock');
  const address = `unix://${socket}`;
  let child: ChildProcess | null = null;
  const run = (...args: readonly string[]) => docker(['--host', address, ...args]);
  const engine: OwnEngine = {
    address,
    data,
    docker: run,
    async start() {
      const log = openSync(join(directory, 'log'), 'a');
      const places = ['--data-root', data, '--exec-root', join(directory, 'exec'), '--pidfile', join(directory, 'pid')];
      // In a network namespace of its own: an engine without a bridge deletes the interface docker0, which may be another engine's.
      const network = ['--bridge=none', '--iptables=false', '--ip-masq=false'];
      rmSync(join(directory, 'pid'), { force: true });
      const args = ['dockerd', ...places, ...network, '--host', address, ...flags];
      child = spawn('unshare', ['--net', ...args], { stdio: ['ignore', log, log] });
      await eventually('the engine answers', () =>
        run('version').then(
          () => true,
          () => null,
        ),
      );
    },
    signal: (name) => void child?.kill(name),
    async ended() {
      await eventually('its process has ended', () =>
        (child?.exitCode ?? child?.signalCode ?? null) === null ? null : true,
      );
    },
    fillDisk() {
      const free = Number(execFileSync('df', ['--output=avail', '-B1', data], { encoding: 'utf8' }).split('\n')[1]);
      for (const bytes of [free - 65_536, 60_000, 4096, 4096, 4096]) {
        try {
          writeFileSync(join(data, 'filler'), Buffer.alloc(Math.max(0, bytes)), { flag: 'a' });
        } catch {
          // Full.
        }
      }
    },
    freeDisk: () => rmSync(join(data, 'filler'), { force: true }),
    async remove() {
      child?.kill('SIGCONT');
      child?.kill('SIGTERM');
      await this.ended();
      const containerd = join(directory, 'exec', 'containerd', 'containerd.pid');
      if (existsSync(containerd)) end(Number(readFileSync(containerd, 'utf8')));
      await eventually('its disk is free', () => {
        try {
          execFileSync('umount', ['--recursive', data], { stdio: 'pipe' });
          return true;
        } catch {
          return null;
        }
      });
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await engine.start();
  const file = join(directory, 'image.tar');
  await docker(['save', '--output', file, image]);
  await run('load', '--quiet', '--input', file);
  rmSync(file);
  return engine;
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It has ended with the engine.
  }
}

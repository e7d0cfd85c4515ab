/** Containers for tests: a host with marks of its own, and what is left of it on the engine. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_ENGINE, parseEngineAddress } from '../../../src/core/config/engine-address.ts';
import { processMark } from '../../../src/process/trace/process-mark.ts';
import type { ContainerHost, ContainerSpec } from '../../../src/sandbox/container-host.ts';
import type { ContainerHostOptions } from '../../../src/sandbox/host/container-host-options.ts';
import { createContainerHost } from '../../../src/sandbox/host/create-container-host.ts';
import { docker } from '../appliance.ts';

/** A base image that every machine with an engine can have. */
export const IMAGE = 'python:3.13-slim-trixie';

/** Why these tests cannot run here; null if they can. Throws instead if `ANIMUS_REQUIRE_DOCKER` is set. */
export function missingEngine(): string | null {
  try {
    execFileSync('docker', ['image', 'inspect', IMAGE], { stdio: 'pipe' });
    return null;
  } catch (error) {
    if (process.env['ANIMUS_REQUIRE_DOCKER']) throw error;
    return `no engine answers, or it has no image ${IMAGE}`;
  }
}

export interface TestHost {
  readonly host: ContainerHost;
  readonly daemon: string;
  /** The ids of its containers on the engine. */
  left(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Creates a host whose containers carry a daemon id of their own. */
export function testHost(more: Partial<ContainerHostOptions> = {}): TestHost {
  const daemon = more.marks?.daemon ?? randomUUID();
  const directory = mkdtempSync(join(tmpdir(), 'animus-containers-'));
  const address = parseEngineAddress(DEFAULT_ENGINE);
  if (address === null) throw new Error('unreachable');
  const host = createContainerHost({
    address,
    marks: { daemon, process: processMark(process.pid) },
    marker: join(directory, 'in-use'),
    ...more,
  });
  return {
    host,
    daemon,
    left: () => containersOf(daemon),
    async stop() {
      await host.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The ids of the containers of a daemon, running or not. */
export async function containersOf(daemon: string): Promise<readonly string[]> {
  const ids = await docker(['ps', '--all', '--quiet', '--no-trunc', '--filter', `label=animus.daemon=${daemon}`]);
  return ids.split('\n').filter((id) => id !== '');
}

/** A contained `cat`. */
export function catSpec(more: Partial<ContainerSpec> = {}): ContainerSpec {
  return {
    owner: 'owner',
    image: IMAGE,
    command: ['cat'],
    env: {},
    user: '10001:10001',
    workdir: '/work',
    limits: { memoryBytes: 128 * 2 ** 20, cpus: 1, pids: 64, fileBytes: 2 ** 24 },
    tmpfs: [{ path: '/work', bytes: 2 ** 24 }],
    mounts: [],
    network: 'none',
    ...more,
  };
}

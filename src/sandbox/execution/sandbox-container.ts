/** The container of an execution: what it is started with. */
import type { ContainerSpec } from '../container-host.ts';
import type { PooledSpec } from '../sandbox.ts';

/** What the configuration sets for all of them. */
export interface ContainerSettings {
  readonly image: string;
  readonly runtime: string | null;
  readonly maxProcesses: number;
  readonly workMib: number;
}

/** The user of the image: nobody on the host. */
const USER = '10001:10001';

/** Its specification: nothing but memory to write to, no network, nothing of the host unless a directory is asked for. */
export function sandboxContainer(
  spec: PooledSpec & { readonly workspaceMount?: string },
  settings: ContainerSettings,
): ContainerSpec {
  const { workspaceMount } = spec;
  const bytes = settings.workMib * 2 ** 20;
  return {
    owner: '',
    image: imageOf(spec, settings),
    command: [],
    env: { HOME: '/work', LANG: 'C.UTF-8', PYTHONUNBUFFERED: '1' },
    user: USER,
    workdir: '/work',
    limits: { memoryBytes: spec.memoryBytes, cpus: spec.cpus, pids: settings.maxProcesses, fileBytes: bytes },
    tmpfs: [
      { path: '/work', bytes },
      { path: '/tmp', bytes },
    ],
    mounts: workspaceMount === undefined ? [] : [{ source: workspaceMount, target: '/workspace', readOnly: true }],
    network: 'none',
    ...(settings.runtime !== null && { runtime: settings.runtime }),
  };
}

/** The image that it runs. */
export function imageOf({ image }: PooledSpec, settings: ContainerSettings): string {
  return image === '' ? settings.image : image;
}

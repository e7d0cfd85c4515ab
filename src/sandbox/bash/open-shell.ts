/** Starts the container in which a focus's commands run. */
import type { ContainerHost, ContainerLimits, HeldContainer, TmpfsMount } from '../container-host.ts';
import type { MountPlan } from './container-mounts.ts';
import { FIRST_PROCESS } from './first-process.ts';
import { type ShellContainer, shellContainer } from './shell-container.ts';
import { mountProblem } from './verify-mounts.ts';

/** What all containers of one focus have in common. */
export interface ShellSettings {
  /** The work item. */
  readonly owner: string;
  readonly image: string;
  readonly limits: Omit<ContainerLimits, 'fileBytes'>;
  /** `uid:gid`, not root. */
  readonly user: string;
  readonly workdir: string;
  /** An OCI runtime of the engine; null: its default. */
  readonly runtime: string | null;
  /** Gives the container a way to the network, and returns the variables by which programs find it; null: it has none. */
  readonly connect:
    | ((container: HeldContainer, signal: AbortSignal) => Promise<Readonly<Record<string, string>>>)
    | null;
}

/** More than any file of a build, and less than a disk. */
const FILE_BYTES = 32 * 2 ** 30;
/** Rejects with what to do about it: the engine's errors, and `sandbox.refused` for an image without a shell. */
export async function openShell(
  host: ContainerHost,
  { owner, image, limits, user, workdir, runtime, connect }: ShellSettings,
  plan: MountPlan,
  signal: AbortSignal,
): Promise<ShellContainer> {
  const held = await host.launch(
    {
      owner,
      image,
      command: ['/bin/sh', '-c', FIRST_PROCESS],
      env: {},
      user,
      workdir,
      limits: { ...limits, fileBytes: FILE_BYTES },
      tmpfs: [...scratch(limits), ...plan.tmpfs],
      mounts: plan.mounts,
      network: 'none',
      ...(runtime !== null && { runtime }),
    },
    signal,
  );
  try {
    const container = shellContainer(held);
    const mounted = await container.ready;
    if (mounted === null) throw await neverReady(held, image);
    const problem = mountProblem(plan, mounted);
    if (problem !== null) throw new Error(problem);
    const env = connect === null ? {} : await connect(held, signal);
    return {
      ...container,
      start: (program, place) => container.start(program, { ...place, env: { ...env, ...place.env } }),
    };
  } catch (error) {
    await held.destroy();
    throw error;
  }
}

async function neverReady(held: HeldContainer, image: string): Promise<Error> {
  await held.destroy();
  const { problem } = await held.exited;
  const detail = problem === null ? '' : `: ${problem}`;
  return new Error(`the image ${image} cannot run commands${detail}; it must have a POSIX shell as /bin/sh`);
}

/** Directories that programs expect to be able to write. Full ones leave memory for processes. */
function scratch({ memoryBytes }: Pick<ContainerLimits, 'memoryBytes'>): readonly TmpfsMount[] {
  return [
    { path: '/tmp', bytes: Math.floor(memoryBytes / 2), exec: true },
    { path: '/var/tmp', bytes: Math.floor(memoryBytes / 8), exec: true },
  ];
}

/** What the engine is asked for: the containment of every container. */
import type { ContainerCreateOptions } from 'dockerode';
import type { ContainerSpec } from '../container-host.ts';
import { containerProfile } from './seccomp-profile.ts';

/** Files that a process may have open. */
const OPEN_FILES = 1024;
/** Of /dev/shm. */
const SHARED_MEMORY_BYTES = 16 * 2 ** 20;
/** The kernel kills processes of containers before anything else of the host. */
const OOM_SCORE = 800;

/**
 * Builds the request that creates a container. No capability, no new privileges, our own seccomp profile, a read-only root, no
 * devices, no log on the disk of the engine. Throws if the user is root.
 */
export function containerOptions(
  spec: ContainerSpec,
  name: string,
  labels: Record<string, string>,
): ContainerCreateOptions {
  if (/^(0+|root)?(:|$)/.test(spec.user)) throw new Error(`a container may not run as root (user "${spec.user}")`);
  const { memoryBytes, cpus, pids, fileBytes } = spec.limits;
  return {
    name,
    Image: spec.image,
    ...(spec.command.length > 0 && { Cmd: [...spec.command], Entrypoint: [] }),
    Env: Object.entries(spec.env).map(([key, value]) => `${key}=${value}`),
    User: spec.user,
    WorkingDir: spec.workdir,
    // A container in the network of another one has that one's name.
    ...(!joinsContainer(spec) && { Hostname: 'sandbox' }),
    Labels: labels,
    // With StdinOnce, the engine closes the standard input when the attached keeper is gone.
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    StopSignal: 'SIGKILL',
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      AutoRemove: true,
      RestartPolicy: { Name: 'no' },
      NetworkMode: spec.network === 'none' ? 'none' : spec.network.name,
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', `seccomp=${JSON.stringify(containerProfile())}`],
      IpcMode: 'private',
      ...(spec.runtime !== undefined && { Runtime: spec.runtime }),
      Init: spec.init ?? false,
      Memory: memoryBytes,
      MemorySwap: memoryBytes,
      NanoCpus: Math.round(cpus * 1e9),
      PidsLimit: pids,
      ShmSize: SHARED_MEMORY_BYTES,
      OomScoreAdj: OOM_SCORE,
      Ulimits: [
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'nofile', Soft: OPEN_FILES, Hard: OPEN_FILES },
        { Name: 'fsize', Soft: fileBytes, Hard: fileBytes },
      ],
      Tmpfs: Object.fromEntries(spec.tmpfs.map((mount) => [mount.path, tmpfsOptions(mount, spec.user)])),
      Mounts: spec.mounts.map(({ source, target, readOnly }) => ({
        Type: 'bind',
        Source: source,
        Target: target,
        ReadOnly: readOnly,
        BindOptions: { Propagation: 'rprivate' },
      })),
      // Output goes to the keeper only. The engine's default would write it to its disk, without a limit.
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}

function joinsContainer({ network }: ContainerSpec): boolean {
  return network !== 'none' && network.name.startsWith('container:');
}

/** Where the image has the directory, its mode counts and not this one; its owner is set in any case. */
function tmpfsOptions({ bytes, exec }: ContainerSpec['tmpfs'][number], user: string): string {
  const [uid, gid = uid] = user.split(':');
  const owner = /^\d+:\d+$/.test(`${uid}:${gid}`) ? [`uid=${uid}`, `gid=${gid}`] : [];
  const run = exec ? 'exec' : 'noexec';
  return ['rw', 'nosuid', 'nodev', run, `size=${bytes}`, 'nr_inodes=20000', 'mode=1777', ...owner].join(',');
}

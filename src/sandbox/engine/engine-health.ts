/** What the engine says about itself, for status and doctor. */
import { AnimusError } from '../../core/errors/errors.ts';
import { abortable } from '../../core/lifecycle/abortable.ts';
import type { EngineHealth } from '../container-host.ts';
import { engineError, imageRemedy, statusOf } from './engine-errors.ts';
import { DAEMON_LABEL, SANDBOX_LABEL } from './labels.ts';
import type { Engine } from './open-engine.ts';

/** The parts of the engine's answer that are read. */
interface Info {
  readonly ServerVersion?: string;
  readonly OperatingSystem?: string;
  readonly Runtimes?: Readonly<Record<string, unknown>>;
  readonly CgroupVersion?: string;
  readonly SecurityOptions?: readonly string[] | null;
  readonly OSType?: string;
  readonly PidsLimit?: boolean;
  readonly MemoryLimit?: boolean;
  readonly SwapLimit?: boolean;
}

/** Asks it; never rejects. `daemon`: whose containers count as own. */
export async function engineHealth(
  { docker, where }: Engine,
  { image, runtime, daemon, patienceMs }: { image: string; runtime: string | null; daemon: string; patienceMs: number },
): Promise<EngineHealth> {
  const abortSignal = AbortSignal.timeout(patienceMs);
  try {
    // The client takes no signal for it.
    const info: Info = await abortable(docker.info() as Promise<Info>, abortSignal);
    const containers = await docker.listContainers({ all: true, filters: { label: [SANDBOX_LABEL] }, abortSignal });
    const own = containers.filter(({ Labels }) => Labels[DAEMON_LABEL] === daemon).length;
    const present = await abortable(docker.getImage(image).inspect(), abortSignal).then(
      () => true,
      (error: unknown) => {
        if (statusOf(error) === 404) return false;
        throw error;
      },
    );
    return {
      where,
      engine: {
        version: info.ServerVersion ?? 'unknown',
        os: info.OperatingSystem ?? 'unknown',
        runtimes: Object.keys(info.Runtimes ?? {}),
        cgroupVersion: info.CgroupVersion ?? 'unknown',
      },
      problem: problemOf(info, { image, present, runtime, where }),
      remarks: remarksOn(info),
      image: { name: image, present },
      containers: { all: containers.length, own },
    };
  } catch (error) {
    return unknownHealth(where, image, engineError(error, { where }).message);
  }
}

/** Of an engine that says nothing, for this reason. */
export function unknownHealth(where: string, image: string, problem: string): EngineHealth {
  const containers = { all: 0, own: 0 };
  return { where, engine: null, remarks: [], image: { name: image, present: false }, containers, problem };
}

function problemOf(
  info: Info,
  { image, present, runtime, where }: { image: string; present: boolean; runtime: string | null; where: string },
): string | null {
  if (info.OSType !== undefined && info.OSType !== 'linux')
    return `the engine runs ${info.OSType} containers; animus needs Linux ones`;
  if (runtime !== null && !(runtime in (info.Runtimes ?? {})))
    return `the engine does not know the runtime ${runtime} (it knows ${Object.keys(info.Runtimes ?? {}).join(', ')}); install it, or change runtime in [sandbox]`;
  if (!info.SecurityOptions?.some((option) => option.includes('name=seccomp')))
    return 'the engine has no seccomp, so it cannot start a container with the system calls that animus allows; use an engine whose kernel has it';
  if (!present) return new AnimusError('sandbox.image_missing', { image, where, remedy: imageRemedy(image) }).message;
  return null;
}

function remarksOn(info: Info): string[] {
  return [
    ...(info.MemoryLimit === false ? ['the engine cannot limit memory'] : []),
    ...(info.SwapLimit === false ? ['the engine cannot limit swap'] : []),
    ...(info.PidsLimit === false ? ['the engine cannot limit the number of processes'] : []),
  ];
}

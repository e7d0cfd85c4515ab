/** The mounts of the host, and which of them make no difference to a place when they are added. */
import { readFileSync } from 'node:fs';

export interface HostMounts {
  /** The mountinfo of this process. */
  readonly text: string;
  /** The lines that decide which place fits. */
  readonly own: string;
  /** The lines of mounts that others come and go with: of network namespaces, and of containers. */
  readonly others: ReadonlySet<string>;
}

/** Engines name the directories of a container by its id. */
const OF_CONTAINER = /\/[0-9a-f]{64}\/(?:merged|rootfs|mounts\/shm|userdata\/shm)$/;

/** Reads them now. */
export function readHostMounts(): HostMounts {
  return hostMountsOf(readFileSync('/proc/self/mountinfo', 'utf8'));
}

export function hostMountsOf(text: string): HostMounts {
  const { others = [], own = [] } = Object.groupBy(text.split('\n'), (line) => (isOfOthers(line) ? 'others' : 'own'));
  return { text, own: own.join('\n'), others: new Set(others) };
}

/**
 * Whether a place that was made with the mounts `then` still fits. Of others it may lack some, but it must not keep one that is gone: a network namespace
 * or the files of a container would live as long as the place.
 */
export function stillFit(then: HostMounts, now: HostMounts): boolean {
  return then.own === now.own && [...then.others].every((line) => now.others.has(line));
}

/** A line of mountinfo: the mount point is the fifth field, the type follows the dash. */
function isOfOthers(line: string): boolean {
  const [before = '', after = ''] = line.split(' - ');
  const type = after.split(' ', 1)[0];
  if (type === 'nsfs') return true;
  return (type === 'overlay' || type === 'tmpfs') && OF_CONTAINER.test(before.split(' ', 5)[4] ?? '');
}

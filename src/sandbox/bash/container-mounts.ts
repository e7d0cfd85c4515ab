/** What of this host a container for commands sees: some directories at their own paths, with the file rules that apply in them. */
import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { accessTo, depthOf, effectiveRules, type FileRule, isWithin } from '../../process/file-rules.ts';
import type { ContainerMount, TmpfsMount } from '../container-host.ts';

/** The mounts of a container. */
export interface MountPlan {
  /** The directories that were asked for. */
  readonly roots: readonly string[];
  readonly mounts: readonly ContainerMount[];
  readonly tmpfs: readonly TmpfsMount[];
  /** Equal for two plans that mount the same files: a file that was replaced is another one. */
  readonly key: string;
}

/** What a plan needs to know about the host. */
export interface HostFile {
  readonly kind: 'file' | 'directory' | 'link';
  /** Identifies the file while it exists. */
  readonly identity: string;
}

/** Nothing can be stored in a hidden directory; a page is the least that a file system in memory has. */
const HIDDEN_BYTES = 4096;

/**
 * Plans the mounts: every root at its own path, hidden files below it as empty ones, hidden directories as empty ones, other rules with their
 * own mounts. Nothing outside the roots is mounted, so rules for other paths have no effect. Every directory between a root and a path
 * that is hidden or read-only is mounted on itself: a mount point cannot be renamed or removed. Returns the reason if a root may not be
 * used, if a path is a link (the engine would follow it anywhere), or if a hidden path does not exist: its content may be elsewhere.
 */
export function containerMounts(
  roots: readonly string[],
  rules: readonly FileRule[],
  look: (path: string) => HostFile | null = lookAt,
): MountPlan | string {
  const effective = effectiveRules(rules);
  const places = new Map<string, FileRule['access']>();
  for (const root of roots) {
    const access = accessTo(effective, root);
    if (access === 'hidden') return `${root} is hidden from commands, so no container can have it`;
    if (dirname(root) === root) return 'a container cannot have the root of the file system as its workspace';
    places.set(root, access);
  }
  for (const { path, access } of effective) {
    const root = roots.find((each) => each !== path && isWithin(each, path));
    if (root === undefined) continue;
    for (const above of access === 'all' ? [] : between(root, path)) {
      if (!places.has(above)) places.set(above, accessTo(effective, above));
    }
    places.set(path, access);
  }
  const plan = planOf(places, effective, look);
  return typeof plan === 'string' ? plan : { roots, ...plan };
}

function planOf(
  places: ReadonlyMap<string, FileRule['access']>,
  rules: readonly FileRule[],
  look: (path: string) => HostFile | null,
): Omit<MountPlan, 'roots'> | string {
  const mounts: ContainerMount[] = [];
  const tmpfs: TmpfsMount[] = [];
  const identities: string[] = [];
  for (const [path, access] of [...places].toSorted(([a], [b]) => depthOf(a) - depthOf(b))) {
    const file = look(path);
    if (file === null && access === 'hidden')
      return `${path} must be hidden but does not exist: its content may be elsewhere, so no command is started`;
    if (file === null) continue;
    if (file.kind === 'link')
      return `${path} is a symbolic link, and a container cannot protect what it points to: replace it with a file or directory, or remove it`;
    identities.push(`${path} ${access} ${file.identity}`);
    if (access !== 'hidden') mounts.push({ source: path, target: path, readOnly: access === 'read' });
    // Below a hidden directory there is nothing to hide.
    else if (accessTo(rules, dirname(path)) === 'hidden') continue;
    else if (file.kind === 'directory') tmpfs.push({ path, bytes: HIDDEN_BYTES });
    else mounts.push({ source: '/dev/null', target: path, readOnly: true });
  }
  return { mounts, tmpfs, key: identities.join('\n') };
}

/** The directories between the two, without either. */
function between(root: string, path: string): readonly string[] {
  const above = dirname(path);
  return above === root || !isWithin(root, above) ? [] : [...between(root, above), above];
}

function lookAt(path: string): HostFile | null {
  const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  if (!stats) return null;
  const kind = stats.isSymbolicLink() ? 'link' : stats.isDirectory() ? 'directory' : 'file';
  return { kind, identity: `${stats.dev}:${stats.ino}` };
}

/** Converts file rules into the mounts of a command's mount namespace. */
import { dirname } from 'node:path';
import { depthOf, effectiveRules, type FileRule, isWithin } from './file-rules.ts';

/**
 * The steps, in order. A table has the format of fstab(5) and is mounted with one call of `mount --all`. That command
 * skips a line if the directory is already mounted there, so such mounts are separate steps.
 */
export interface MountPlan {
  /** Empty files to create in STAGING. */
  readonly stageFiles: readonly string[];
  /** Table: bind-mounts to STAGING the paths that stay accessible below hidden and read-only directories. */
  readonly stage: string;
  /** Table: mounts that hide paths, make them read-only or pin them. */
  readonly cover: string;
  /** Empty files to create, with their directories. */
  readonly makeFiles: readonly string[];
  /** Mounts from STAGING back to paths that were mount points before. */
  readonly backSingly: readonly Bind[];
  /** Table: mounts from STAGING back to the other paths, with the covers and pins below them. */
  readonly back: string;
  /** Paths that are bind-mounted to themselves, read-only. */
  readonly seal: readonly Bind[];
  /** The expected result, as `POINT KIND` with the mount point written as in /proc/self/mountinfo. */
  readonly expected: readonly string[];
}

/** A call of `mount`. */
export interface Bind {
  readonly from: string;
  readonly to: string;
  readonly options: string;
}

/** What a plan needs to know about the host. */
export interface HostFiles {
  kindOf(path: string): FileKind;
  isMountPoint(path: string): boolean;
  /** Which of nosuid, nodev and noexec apply to the path; a namespace must not remove them. */
  flagsOf(path: string): readonly string[];
}

/** `from` is bind-mounted to `at` while its parent directory is being covered. */
interface Staged {
  readonly from: string;
  readonly at: string;
  readonly kind: FileKind;
  /** True if a hidden directory covers it, so that its mount point must be created again. */
  readonly isCovered: boolean;
}

export type FileKind = 'file' | 'directory';

/** A directory that exists in every /proc and is not needed during the mounts. */
export const STAGING = '/proc/fs';
/** The source name of our file systems in mountinfo. */
export const SOURCE = 'animus';

/**
 * Plans the mounts for these rules. Every directory above a hidden or read-only path is pinned: it is bind-mounted to
 * itself, because a mount point cannot be renamed or removed. Renames and hard links across such a directory fail with
 * EXDEV, as between two file systems.
 */
export function planMounts(rules: readonly FileRule[], host: HostFiles): MountPlan {
  const effective = effectiveRules(rules);
  const open = effective.filter((rule) => isLoosened(rule, effective));
  const staged = open.map(({ path }, index) => ({
    from: path,
    at: `${STAGING}/${index}`,
    kind: host.kindOf(path),
    isCovered: parentOf(path, effective)?.access === 'hidden',
  }));
  const pins = effective.filter(({ access }) => access !== 'all').flatMap(({ path }) => ancestors(path));
  const paths = new Set([...pins, ...effective.map(({ path }) => path)]);
  const places = [...paths].flatMap((path): Place[] => {
    const rule = effective.find((each) => each.path === path);
    // A covered directory needs no pin.
    if (!rule && parentOf(path, effective)?.access === 'hidden') return [];
    const isCover =
      rule?.access === 'hidden' && staged.some(({ from, isCovered }) => isCovered && isWithin(path, from));
    const own = staged.find(({ from }) => from === path) ?? null;
    return [{ path, access: rule?.access ?? 'all', staged: own, isCover, isMounted: host.isMountPoint(path) }];
  });
  const sorted = places.toSorted((a, b) => depthOf(a.path) - depthOf(b.path));
  const isBack = ({ path }: Place) => staged.some(({ from }) => isWithin(from, path));
  const lines = (which: (place: Place) => boolean) =>
    table(sorted.filter((place) => which(place) && !isSingle(place)).map((place) => lineOf(place, host)));
  const files = staged.filter(({ kind }) => kind === 'file');
  return {
    stageFiles: files.map(({ at }) => at),
    stage: table(staged.map(({ from, at, kind }) => fstab(from, at, 'none', bindOptions(kind)))),
    cover: lines((place) => !isBack(place)),
    makeFiles: files.filter(({ isCovered }) => isCovered).map(({ from }) => from),
    backSingly: sorted
      .filter(isSingle)
      .map(({ path, staged: own }) => ({ from: own!.at, to: path, options: bindOptions(own!.kind) })),
    back: lines(isBack),
    seal: sorted
      .filter(({ access, isCover, isMounted }) => isCover || (access === 'read' && isMounted))
      .map(({ path }) => ({ from: path, to: path, options: ['rbind', ...readOnlyFlags(path, host)].join(',') })),
    expected: sorted.map(({ path, access, isCover }) => `${mangle(path)} ${isCover ? 'read' : STATES[access]}`),
  };
}

/** True if `mount --all` would skip it. */
function isSingle({ staged, isMounted }: Place): boolean {
  return staged !== null && isMounted;
}

/** The words for each access in `expected`. */
const STATES = { hidden: 'hidden', read: 'read', all: 'pinned' } as const;

/** A path where something is mounted. */
interface Place {
  readonly path: string;
  readonly access: FileRule['access'];
  readonly staged: Staged | null;
  /** True if it is hidden and has an accessible path below it. */
  readonly isCover: boolean;
  readonly isMounted: boolean;
}

function lineOf({ path, access, staged, isCover }: Place, host: HostFiles): string {
  if (access === 'hidden') {
    if (host.kindOf(path) === 'file') return fstab('/dev/null', path, 'none', 'rbind');
    return fstab(SOURCE, path, 'tmpfs', `${isCover ? 'mode=755' : 'ro,mode=000'},nosuid,nodev`);
  }
  const options = staged?.isCovered ? bindOptions(staged.kind) : 'rbind';
  const flags = access === 'read' ? [options, ...readOnlyFlags(path, host)].join(',') : options;
  return fstab(staged?.at ?? path, path, 'none', flags);
}

function readOnlyFlags(path: string, host: HostFiles): readonly string[] {
  return ['ro', ...host.flagsOf(path)];
}

/** Creates a directory that does not exist. */
function bindOptions(kind: FileKind): string {
  return kind === 'directory' ? 'rbind,X-mount.mkdir' : 'rbind';
}

/** True if the path is less restricted than its parent rule. */
function isLoosened({ path, access }: FileRule, rules: readonly FileRule[]): boolean {
  const around = parentOf(path, rules);
  return around !== undefined && (around.access === 'hidden' || access === 'all');
}

/** The deepest rule strictly above the path. */
function parentOf(path: string, rules: readonly FileRule[]): FileRule | undefined {
  return rules.findLast((rule) => rule.path !== path && isWithin(rule.path, path));
}

/** All parent directories; none for /proc and /sys, where nothing can be renamed. */
function ancestors(path: string): readonly string[] {
  const above = dirname(path);
  if (above === dirname(above) || isWithin('/proc', path) || isWithin('/sys', path)) return [];
  return [...ancestors(above), above];
}

function table(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** A line of fstab(5), without its end. */
export function fstab(source: string, target: string, type: string, options: string): string {
  return `${mangle(source)} ${mangle(target)} ${type} ${options} 0 0`;
}

/** Escapes a path as the kernel does in mountinfo; fstab(5) uses the same format. */
export function mangle(path: string): string {
  return path.replace(/[ \t\n\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

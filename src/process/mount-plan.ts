/** Turns rules for files into the mounts of a command's own namespace. */
import { dirname } from 'node:path';
import { depthOf, effectiveRules, type FileRule, isWithin } from './file-rules.ts';

/**
 * The steps, in order. Tables are for `mount --all` (fstab(5)), one call for all their lines; it passes over a line that
 * mounts a directory where it is mounted already, so such lines stand apart.
 */
export interface MountPlan {
  /** Empty files to be made in STAGING. */
  readonly stageFiles: readonly string[];
  /** Table: binds to STAGING what stays open below hidden and read-only directories. */
  readonly stage: string;
  /** Table: covers and pins. */
  readonly cover: string;
  /** Empty files to be made, with their directories. */
  readonly makeFiles: readonly string[];
  /** Back from STAGING to where something had been mounted. */
  readonly backSingly: readonly Bind[];
  /** Table: back from STAGING, with what is covered and pinned below. */
  readonly back: string;
  /** Bound to themselves, read-only. */
  readonly seal: readonly Bind[];
  /** What must be true afterwards: `POINT KIND`, the point written as in /proc/self/mountinfo. */
  readonly expected: readonly string[];
}

/** A call of `mount`. */
export interface Bind {
  readonly from: string;
  readonly to: string;
  readonly options: string;
}

/** What a plan has to know of the host. */
export interface HostFiles {
  kindOf(path: string): FileKind;
  isMountPoint(path: string): boolean;
  /** Those of nosuid, nodev and noexec that hold at the path: a namespace may not lift them. */
  flagsOf(path: string): readonly string[];
}

/** `from` is bound to `at` while the directory around it is covered. */
interface Staged {
  readonly from: string;
  readonly at: string;
  readonly kind: FileKind;
  /** Its mount point must be created again: a hidden directory covers it. */
  readonly isCovered: boolean;
}

export type FileKind = 'file' | 'directory';

/** A directory that every /proc has, and that is not needed while the mounts are made. */
export const STAGING = '/proc/fs';
/** The names of our file systems in mountinfo. */
export const SOURCE = 'animus';

/**
 * Pins every directory above what is hidden or read-only, and only those, by a mount of itself: a directory that is a
 * mount point cannot be renamed or removed. Renames and hard links across such a directory fail with EXDEV, as between two
 * file systems.
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

/** `mount --all` would pass over it. */
function isSingle({ staged, isMounted }: Place): boolean {
  return staged !== null && isMounted;
}

/** How `expected` calls them. */
const STATES = { hidden: 'hidden', read: 'read', all: 'pinned' } as const;

/** Where something is to be mounted. */
interface Place {
  readonly path: string;
  readonly access: FileRule['access'];
  readonly staged: Staged | null;
  /** Hidden, with something open below it. */
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

/** A directory that is not there is made. */
function bindOptions(kind: FileKind): string {
  return kind === 'directory' ? 'rbind,X-mount.mkdir' : 'rbind';
}

/** Less restricted than the directory around it. */
function isLoosened({ path, access }: FileRule, rules: readonly FileRule[]): boolean {
  const around = parentOf(path, rules);
  return around !== undefined && (around.access === 'hidden' || access === 'all');
}

/** The deepest rule strictly above the path. */
function parentOf(path: string, rules: readonly FileRule[]): FileRule | undefined {
  return rules.findLast((rule) => rule.path !== path && isWithin(rule.path, path));
}

/** Not of what the kernel makes up: nobody can rename that. */
function ancestors(path: string): readonly string[] {
  const above = dirname(path);
  if (above === dirname(above) || isWithin('/proc', path) || isWithin('/sys', path)) return [];
  return [...ancestors(above), above];
}

function table(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function fstab(source: string, target: string, type: string, options: string): string {
  return `${mangle(source)} ${mangle(target)} ${type} ${options} 0 0`;
}

/** As the kernel writes paths in mountinfo; fstab(5) reads the same. */
export function mangle(path: string): string {
  return path.replace(/[ \t\n\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

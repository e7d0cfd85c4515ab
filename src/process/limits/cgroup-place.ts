/** Finds and creates the place for this process's cgroups (version 2): below its own cgroup, if that was delegated to it. */
import { accessSync, constants, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { killCgroup, processesInCgroup, readFrom, removeCgroup, writeTo } from '../trace/cgroup-files.ts';
import { pidNamespace } from '../trace/process-mark.ts';
import { isAlive, readProc, readProcess, startTicksOf } from '../trace/process-table.ts';

/** A directory of our own in the cgroup file system. */
export interface CgroupPlace {
  /** Absolute path. Contains at most the cgroups of owners. */
  readonly path: string;
  /** True if the kernel can limit memory and processes below it; false if it can only group processes and kill a group. */
  readonly controlled: boolean;
}

const CONTROLLERS = ['memory', 'pids'];
/** The cgroup for animus's own processes: their previous cgroup can enable controllers for its children only when it is empty. */
const OWN = 'animus-own';

/**
 * Creates a cgroup for this process's children. Null if the host has no cgroup v2 or does not permit it. Kills the
 * remaining processes of supervisors that have ended, and removes their cgroups.
 */
export function makeCgroupPlace(): CgroupPlace | null {
  const base = process.platform === 'linux' ? baseCgroup() : null;
  if (base === null) return null;
  sweep(base);
  const path = join(base, nameOf(process.pid));
  try {
    mkdirSync(path);
  } catch {
    return null;
  }
  return { path, controlled: handDown(base) && writeTo(path, 'cgroup.subtree_control', asked()) };
}

/**
 * Reports what cgroups could do for a process started in this one's cgroup: enforce `limits`, only `kill` a whole run, or
 * nothing. Changes nothing.
 */
export function cgroupsHere(): 'limits' | 'kill' | 'none' {
  const base = process.platform === 'linux' ? baseCgroup() : null;
  if (base === null || !isWritable(base)) return 'none';
  if (has(base, 'cgroup.subtree_control')) return 'limits';
  const canHandDown =
    has(base, 'cgroup.controllers') && !base.endsWith('.scope') && isWritable(join(base, 'cgroup.procs'));
  return canHandDown ? 'limits' : 'kill';
}

/** Removes the place and all empty cgroups in it. */
export function removeCgroupPlace(path: string): void {
  removeTree(path);
  sweep(dirname(path));
}

/** Returns the directory of this process's cgroup, from the contents of /proc files; null without cgroup v2. */
export function ownCgroup(cgroups: string, mounts: string): string | null {
  const path = /^0::(\/.*)$/m.exec(cgroups)?.[1];
  if (path === undefined) return null;
  for (const line of mounts.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    if (!after.startsWith('cgroup2 ')) continue;
    const [, , , root = '/', mountPoint = ''] = before.split(' ');
    const below =
      root === '/' ? path : path === root ? '/' : path.startsWith(`${root}/`) ? path.slice(root.length) : null;
    if (below !== null) return join(mountPoint, below).replace(/(.)\/$/, '$1');
  }
  return null;
}

/** The cgroup that was delegated to animus, even after its processes have moved to a child cgroup. */
function baseCgroup(): string | null {
  const own = ownCgroup(readProc('/proc/self/cgroup') ?? '', readProc('/proc/self/mountinfo') ?? '');
  return own !== null && basename(own) === OWN ? dirname(own) : own;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function has(base: string, file: string): boolean {
  const names = (readFrom(base, file) ?? '').trim().split(' ');
  return CONTROLLERS.every((controller) => names.includes(controller));
}

/** Enables the controllers for the children of `base`; true if they have them. */
function handDown(base: string): boolean {
  if (has(base, 'cgroup.subtree_control')) return true;
  if (!has(base, 'cgroup.controllers')) return false;
  if (writeTo(base, 'cgroup.subtree_control', asked())) return true;
  // A cgroup that contains processes cannot enable controllers for its children. Move the processes to a child cgroup, but
  // only if all of them are animus's. Leave the cgroup of a login session (.scope) alone.
  if (base.endsWith('.scope')) return false;
  const inside = processesInCgroup(base);
  const ours = selfAndAncestors();
  if (!inside.every((pid) => ours.has(pid))) return false;
  try {
    mkdirSync(join(base, OWN), { recursive: true });
  } catch {
    return false;
  }
  return (
    inside.every((pid) => writeTo(join(base, OWN), 'cgroup.procs', String(pid))) &&
    writeTo(base, 'cgroup.subtree_control', asked())
  );
}

function asked(): string {
  return CONTROLLERS.map((controller) => `+${controller}`).join(' ');
}

/** The pids of this supervisor, the daemon, a launcher and their ancestors. */
function selfAndAncestors(): ReadonlySet<number> {
  const found = new Set<number>();
  for (let pid = process.pid; pid > 0 && !found.has(pid); pid = readProcess(pid)?.parent ?? 0) found.add(pid);
  return found;
}

/** Contains PID namespace, pid and start time, so that the cgroup of a live supervisor is never mistaken for an abandoned one. */
function nameOf(pid: number): string {
  return `animus-${pidNamespace()}-${pid}-${startTicksOf(pid)}`;
}

function sweep(base: string): void {
  const here = `animus-${pidNamespace()}-`;
  for (const name of namesIn(base)) {
    const [pid, startTicks] = name.startsWith(here) ? name.slice(here.length).split('-').map(Number) : [];
    if (pid === undefined || startTicks === undefined || isAlive(pid, startTicks) !== false) continue;
    killCgroup(join(base, name));
    removeTree(join(base, name));
  }
}

/** Removes all cgroups in it that are empty. */
function removeTree(path: string): void {
  for (const name of namesIn(path)) removeTree(join(path, name));
  removeCgroup(path);
}

/** The names of the cgroups directly below. */
function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

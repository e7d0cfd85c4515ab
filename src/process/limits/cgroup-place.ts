/** Where this process may create cgroups (version 2): below its own, if that was delegated to it. */
import { accessSync, constants, mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { killCgroup, processesInCgroup, readFrom, removeCgroup, writeTo } from '../trace/cgroup-files.ts';
import { readProc, readProcess, startTicksOf } from '../trace/process-table.ts';

/** A directory of our own in the cgroup file system. */
export interface CgroupPlace {
  /** Absolute; empty, or with the cgroups of owners. */
  readonly path: string;
  /** True: the kernel limits memory and processes below it. False: it only groups processes and kills them as a whole. */
  readonly controlled: boolean;
}

const CONTROLLERS = ['memory', 'pids'];
/** Where animus's own processes go, so that the cgroup they were in may hand controllers down. */
const OWN = 'animus-own';

/**
 * Creates a cgroup for this process's children; null when there is no cgroup v2 or none may be created. Kills and
 * removes what ended supervisors have left behind.
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
 * What cgroups can do for a process that is started where this one is: hold `limits`, only `kill` a run whole, or nothing.
 * It looks and changes nothing.
 */
export function cgroupsHere(): 'limits' | 'kill' | 'none' {
  const base = process.platform === 'linux' ? baseCgroup() : null;
  if (base === null || !isWritable(base)) return 'none';
  if (has(base, 'cgroup.subtree_control')) return 'limits';
  const canHandDown =
    has(base, 'cgroup.controllers') && !base.endsWith('.scope') && isWritable(join(base, 'cgroup.procs'));
  return canHandDown ? 'limits' : 'kill';
}

/** Removes it with all that is empty in it. */
export function removeCgroupPlace(path: string): void {
  removeTree(path);
  sweep(dirname(path));
}

/** The directory of the cgroup that this process is in, from the texts of /proc; null without cgroup v2. */
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

/** The cgroup that was given to animus: its own, also after its processes have moved down. */
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

/** True when the children of `base` have the controllers. */
function handDown(base: string): boolean {
  if (has(base, 'cgroup.subtree_control')) return true;
  if (!has(base, 'cgroup.controllers')) return false;
  if (writeTo(base, 'cgroup.subtree_control', asked())) return true;
  // A cgroup with processes of its own hands nothing down: they move, if they are none but animus's. A session's stays whole.
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

/** This supervisor, the daemon, a launcher, and whatever started them. */
function selfAndAncestors(): ReadonlySet<number> {
  const found = new Set<number>();
  for (let pid = process.pid; pid > 0 && !found.has(pid); pid = readProcess(pid)?.parent ?? 0) found.add(pid);
  return found;
}

/** Of its PID namespace, pid and start: so that nobody takes a live one for left behind. */
function nameOf(pid: number): string {
  return `animus-${pidNamespace()}-${pid}-${startTicksOf(pid)}`;
}

function pidNamespace(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
}

function sweep(base: string): void {
  const here = `animus-${pidNamespace()}-`;
  for (const name of namesIn(base)) {
    const [pid, startTicks] = name.startsWith(here) ? name.slice(here.length).split('-').map(Number) : [];
    if (pid === undefined || startTicksOf(pid) === startTicks) continue;
    killCgroup(join(base, name));
    removeTree(join(base, name));
  }
}

/** What is not empty stays. */
function removeTree(path: string): void {
  for (const name of namesIn(path)) removeTree(join(path, name));
  removeCgroup(path);
}

/** Of the cgroups directly below. */
function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

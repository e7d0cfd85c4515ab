/** What the host has mounted where, and what its paths are: what a plan of mounts needs to know. */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type FileKind, type HostFiles, mangle } from '../mount-plan.ts';

/** Reads the mounts of this process now; paths are looked up when they are asked for. `text`: its mountinfo. */
export function readHostFiles(text: string = readFileSync('/proc/self/mountinfo', 'utf8')): HostFiles {
  const mounts = text
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, , , , point = '', options = '']) => ({ point, options: options.split(',') }));
  const points = new Set(mounts.map(({ point }) => point));
  // If a path is mounted over several times, the last mount is visible.
  const mountOf = (path: string): (typeof mounts)[number] | undefined =>
    mounts.findLast(({ point }) => point === path) ?? (path === '/' ? undefined : mountOf(dirname(path)));
  return {
    kindOf,
    isMountPoint: (path) => points.has(mangle(path)),
    flagsOf: (path) => mountOf(mangle(path))?.options.filter((option) => LOCKED_FLAGS.has(option)) ?? [],
  };
}

const LOCKED_FLAGS: ReadonlySet<string> = new Set(['nosuid', 'nodev', 'noexec']);

function kindOf(path: string): FileKind {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new Error(goneProblem(path));
  return stats.isDirectory() ? 'directory' : 'file';
}

/** Why no command is started when the path of a rule that hides is gone. */
export function goneProblem(path: string): string {
  return `${path} must be hidden but does not exist: its content may be elsewhere, so no command is started`;
}

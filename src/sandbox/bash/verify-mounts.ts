/** Compares the mounts that a container has with those that were planned for it. */
import { mangle } from '../../process/mount-plan.ts';
import type { MountPlan } from './container-mounts.ts';

/** One line of mountinfo; paths as the kernel writes them. */
interface Mounted {
  /** What of its file system is mounted. */
  readonly root: string;
  readonly point: string;
  readonly options: readonly string[];
  readonly type: string;
}

/**
 * The reason why a container must not be used; null if it may. The engine finds what it mounts by paths, and a command that runs elsewhere in
 * the same workspace may replace a part of such a path by a link while the container starts. What is mounted below a directory must be
 * what lies there in the file system of that directory. `lines`: /proc/self/mountinfo of the container.
 */
export function mountProblem({ roots, mounts, tmpfs }: MountPlan, lines: readonly string[]): string | null {
  const mounted = new Map(lines.map(parseLine).map((each) => [each.point, each]));
  for (const { path } of tmpfs) {
    if (mounted.get(mangle(path))?.type !== 'tmpfs') return wrong(path);
  }
  for (const { source, target, readOnly } of mounts) {
    const there = mounted.get(mangle(target));
    if (there === undefined || (readOnly && !there.options.includes('ro'))) return wrong(target);
    if (roots.includes(target)) continue;
    const above = roots.find((root) => target.startsWith(`${root}/`)) ?? '';
    const base = mounted.get(mangle(above))?.root ?? '';
    const expected = source === target ? join(base, mangle(target.slice(above.length))) : '/null';
    if (there.root !== expected) return wrong(target);
  }
  return null;
}

function parseLine(line: string): Mounted {
  const [, , , root = '', point = '', options = '', ...rest] = line.split(' ');
  return { root, point, options: options.split(','), type: rest[rest.indexOf('-') + 1] ?? '' };
}

function join(base: string, rest: string): string {
  return base === '/' ? rest : base + rest;
}

function wrong(path: string): string {
  return `${path} is not in the container as it should be: it, or a directory above it, was replaced while the container started, or another file system is mounted there`;
}

/** Where commands keep what is not part of their work, as paths below ANIMUS_HOME; they need not exist. */
import { basename, dirname, join } from 'node:path';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { PackageManager } from '../../catalog/faculty/package-caches.ts';

/** HOME of the commands of a focus: beside the parent of all focus directories, because a focus directory can be a workspace. */
export function homeOf(focusDirectory: string): string {
  return join(homesRoot(dirname(focusDirectory)), basename(focusDirectory));
}

/** The parent of all homes; `directoryRoot` is the parent of all focus directories. */
export function homesRoot(directoryRoot: string): string {
  return join(dirname(directoryRoot), 'homes');
}

/** The parent of the shared caches of all faculties; `home` is ANIMUS_HOME. */
export function cachesRoot(home: string): string {
  return join(home, 'caches');
}

/** The shared caches of a faculty, by package manager. */
export function cachesOf(
  { name, caches = [] }: Pick<Faculty, 'name' | 'caches'>,
  home: string,
): ReadonlyMap<PackageManager, string> {
  return new Map(caches.map((manager) => [manager, join(cachesRoot(home), name, manager)]));
}

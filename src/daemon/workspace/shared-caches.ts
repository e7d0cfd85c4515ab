/** The caches of package managers that all foci of a faculty share on this host. */
import { mkdir, realpath, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PACKAGE_CACHES, type PackageCache, type PackageManager } from '../../catalog/faculty/package-caches.ts';
import type { User } from '../../process/runners/user.ts';
import type { Log } from '../../telemetry/log.ts';
import { openWay } from './focus-directory.ts';
import { makeOwned } from './make-owned.ts';

/** Directories of caches, absolute, by package manager. */
export type CacheDirectories = ReadonlyMap<PackageManager, string>;

/** Whether foci whose commands run as this user can share a cache: each of the spare users belongs to one focus. */
export function sharesCaches(user: User | null): boolean {
  return user?.isSpare !== true;
}

/** Makes those that are missing. Leaves out, with a warning, one that belongs to another user: commands could not write it. */
export async function makeCaches(wanted: CacheDirectories, user: User | null, log: Log): Promise<CacheDirectories> {
  const made = new Map<PackageManager, string>();
  for (const [manager, directory] of wanted) {
    const { links }: PackageCache = PACKAGE_CACHES[manager];
    const fill = async (making: string) => {
      for (const name of links?.directories ?? []) await mkdir(join(making, name));
    };
    const owner = await makeOwned(directory, user, fill);
    if (owner === null) made.set(manager, await realpath(directory));
    else log.warn({ directory, owner, user: user?.uid ?? process.getuid?.() }, FOREIGN);
  }
  const [ofFaculty] = [...wanted.values()].map((directory) => dirname(directory));
  if (user !== null && ofFaculty !== undefined)
    await openWay(dirname(dirname(ofFaculty)), dirname(ofFaculty), ofFaculty);
  return made;
}

const FOREIGN =
  'a shared cache of packages is not used, because it does not belong to the user that commands run as; remove the directory, and it is created again';

/** Makes in a new home what leads managers to caches that no variable can name. */
export async function linkCaches(home: string, caches: CacheDirectories): Promise<void> {
  for (const [manager, cache] of caches) {
    const { links }: PackageCache = PACKAGE_CACHES[manager];
    if (links === undefined) continue;
    await mkdir(join(home, links.directory), { mode: 0o700 });
    for (const name of links.names) await symlink(join(cache, name), join(home, links.directory, name));
  }
}

/** The variables by which the managers find their caches. */
export function cacheVariables(home: string, caches: CacheDirectories): Readonly<Record<string, string>> {
  const variables = [...caches].flatMap(([manager, cache]) => {
    const { places, settings = {}, links }: PackageCache = PACKAGE_CACHES[manager];
    return [
      ...Object.entries(places).map(([name, path]) => [name, join(cache, path)] as const),
      ...Object.entries(settings),
      ...(links === undefined ? [] : [[links.variable, join(home, links.directory)] as const]),
    ];
  });
  return Object.fromEntries(variables);
}

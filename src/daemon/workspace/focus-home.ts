/** The home of a focus: HOME of its commands, and the caches of package managers that it shares with other foci of its faculty. */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { runsAsOwner } from '../../process/isolation.ts';
import type { Isolation } from '../../process/process-host.ts';
import { removeDirectory } from '../../process/remove-directory.ts';
import { freeSpareUser } from '../../process/runners/spare-users.ts';
import type { User } from '../../process/runners/user.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Log } from '../../telemetry/log.ts';
import type { CommandHome } from '../../tools/tool.ts';
import { cachesOf, homeOf, homesRoot } from '../guard/command-places.ts';
import { realPathOf } from '../guard/loaded-files.ts';
import { commandUser, namesOfEnded, openWay } from './focus-directory.ts';
import { makeOwned } from './make-owned.ts';
import { type CacheDirectories, cacheVariables, linkCaches, makeCaches, sharesCaches } from './shared-caches.ts';

/** The home of one focus, or of all answers of a conversation. A focus that starts no process never has one. */
export interface FocusHome {
  /** What commands use of it, caches included; absolute real paths that need not exist yet. */
  paths(): readonly string[];
  /** Makes it at the first call, or finds what the focus had on this host. Errors: those of the file system. */
  readonly open: () => Promise<CommandHome>;
  /** Removes it with everything in it. The caches stay. */
  remove(): Promise<void>;
}

/** Whose home it is. */
export interface HomePlace {
  /** The focus's directory, below ANIMUS_HOME; it need not exist. */
  readonly directory: string;
  readonly faculty: Faculty;
  /** Of what the focus runs on this host. */
  readonly isolation: Isolation;
  /** True: an earlier run of the focus may have made it. */
  readonly goesOn: boolean;
  readonly log: Log;
}

/** Makes nothing yet. */
export function focusHome(place: HomePlace): FocusHome {
  const path = homeOf(place.directory);
  const caches = cachesOf(place.faculty, dirname(dirname(place.directory)));
  let opened: Promise<CommandHome> | null = null;
  let user: User | null = null;

  async function open(): Promise<CommandHome> {
    user = await userOf(place);
    const shared = await makeCaches(sharesCaches(user) ? caches : NO_CACHES, user, place.log);
    const fill = (making: string) => linkCaches(making, shared);
    // Its commands ran as another user before.
    if ((await makeOwned(path, user, fill)) !== null) {
      await removeDirectory(path);
      await makeOwned(path, user, fill);
    }
    if (user !== null) await openWay(dirname(dirname(path)), dirname(path));
    const directory = await realpath(path);
    return { directory, caches: cacheVariables(directory, shared) };
  }

  return {
    paths: () => [path, ...caches.values()].map(realPathOf),
    open: () =>
      (opened ??= open().catch((error: unknown) => {
        opened = null;
        throw error;
      })),
    async remove() {
      if (opened !== null || place.goesOn) await removeDirectory(path);
      // Where the focus has a directory, its user stays with that.
      if (user?.isSpare && !existsSync(place.directory)) freeSpareUser(place.directory, user.uid);
    },
  };
}

const NO_CACHES: CacheDirectories = new Map();

/** Null: this process's. */
async function userOf({ directory, faculty, isolation }: HomePlace): Promise<User | null> {
  const isOther = runsAsOwner(isolation) || Boolean(faculty.bashContainer);
  return isOther && process.getuid?.() === 0 ? commandUser(directory, faculty.workspace ?? faculty.repo) : null;
}

/** Removes what crashed daemons left: homes of foci that have ended, and those of deleted conversations. Returns how many were removed. */
export async function sweepHomes(db: Database, directoryRoot: string): Promise<number> {
  const root = homesRoot(directoryRoot);
  const over = await namesOfEnded(db, root);
  for (const name of over) await removeDirectory(join(root, name));
  return over.length;
}

/** The scratch directories of foci on this host. */
import { lstatSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../core/errors/errors.ts';
import { ifMissing } from '../../core/files/if-missing.ts';
import { removeDirectory } from '../../process/remove-directory.ts';
import { freeSpareUser, keepSpareUser, takeSpareUser } from '../../process/runners/spare-users.ts';
import type { User } from '../../process/runners/user.ts';
import { deletedConversations } from '../../store/conversations/deleted-conversations.ts';
import type { Database } from '../../store/sql/database.ts';
import { type EndedFocus, endedFoci } from '../../store/transcript/focus-row.ts';
import type { Log } from '../../telemetry/log.ts';
import { changedSince, holdsFiles } from './held-files.ts';

/** The own directory of one focus. Most foci that only talk to a model never need it, and making and removing one costs as much as a turn. */
export interface FocusDirectory {
  /** Makes it at the first call, before anything that may use it. */
  make(): Promise<void>;
  /** Whether it was needed. */
  isMade(): boolean;
  /**
   * Removes it, unless a worktree is in it or, with `keepsFiles`, any file: a person may still need those. Returns whether it is kept.
   */
  remove(keepsFiles: boolean): Promise<boolean>;
}

/** `create` makes it. */
export function focusDirectory(path: string, create: () => Promise<void>): FocusDirectory {
  let made: Promise<void> | null = null;
  return {
    make: () => (made ??= create()),
    isMade: () => made !== null,
    async remove(keepsFiles) {
      if (made === null) return false;
      if (holdsWorktree(path) || (keepsFiles && (await holdsFiles(path)))) return true;
      await removeFocusDirectory(path);
      return false;
    },
  };
}

/** Returns a function that resolves to the real path of the parent of all focus directories. Its first call makes that directory. */
export function realDirectoryRoot(root: string): () => Promise<string> {
  let real: Promise<string> | null = null;
  const find = async () => {
    await makeFocusDirectory(root);
    return realpath(root);
  };
  return () =>
    (real ??= find().catch((error: unknown) => {
      real = null;
      throw error;
    }));
}

/** Creates the directory of a focus, private to this user; a resumed focus gets the one it had. */
export async function makeFocusDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
}

/**
 * Gives a focus's directory to another user than root, for commands that run as the owner of where they start
 * (`commandUser`). Opens the way to it. Does nothing unless this process is root.
 */
export async function giveFocusDirectory(directory: string, place: string | null): Promise<void> {
  if (process.getuid?.() !== 0) return;
  if ((await stat(directory)).uid !== 0) return keepSpareUser(directory);
  const { uid, gid } = await commandUser(directory, place);
  await openWay(dirname(dirname(directory)), dirname(directory));
  await chown(directory, uid, gid);
}

/**
 * The user as whom the commands of a focus run with a daemon that is root and commands that run as the owner of where they start: the
 * owner of `place` (the faculty's workspace or repository), else a user that no other focus has, the same at each call.
 */
export async function commandUser(directory: string, place: string | null): Promise<User> {
  const owner = place === null ? null : await stat(place);
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  // The user is recorded with the real path of the directory, which may not have been made yet.
  await makeFocusDirectory(dirname(directory));
  const focusNumber = Number.parseInt(basename(directory).replaceAll('-', '').slice(-12), 16);
  return { ...(await takeSpareUser(directory, focusNumber)), isSpare: true };
}

/** Lets other users enter directories of animus, but not list them. */
export async function openWay(...directories: readonly string[]): Promise<void> {
  for (const directory of directories) await chmod(directory, (await stat(directory)).mode | 0o011);
}

/** Removes a focus's directory with everything in it. */
export async function removeFocusDirectory(directory: string): Promise<void> {
  const uid = lstatSync(directory, { throwIfNoEntry: false })?.uid;
  await removeDirectory(directory);
  if (uid !== undefined && process.getuid?.() === 0) freeSpareUser(directory, uid);
}

/** True while a worktree is in the focus's directory, also one without its `.git`, which an agent may have removed. */
export function holdsWorktree(directory: string): boolean {
  const worktree = join(directory, 'worktree');
  // Does not follow it: an agent may have replaced it with a symlink.
  const stats = lstatSync(worktree, { throwIfNoEntry: false });
  return stats !== undefined && (!stats.isDirectory() || readdirSync(worktree).length > 0);
}

export interface SweepSettings {
  /** How many days the files of an ended focus are kept: `retention.directories_days`. */
  readonly keepDays: number;
  readonly log: Log;
  /** The time of the file system, in ms since 1970; default: now. */
  readonly nowMs?: number;
}

/**
 * Removes directories below `root` that nothing goes on in: of ended foci, if no file is in them or they have been kept for long enough, and of
 * deleted conversations. Keeps those with a worktree, and those that it cannot read. Returns how many were removed.
 */
export async function sweepFocusDirectories(
  db: Database,
  root: string,
  { keepDays, log, nowMs = Date.now() }: SweepSettings,
): Promise<number> {
  const { ended, gone } = await endedBelow(db, root);
  const isOver = async ({ id, days }: EndedFocus): Promise<boolean> => {
    const path = join(root, id);
    if (!(await holdsFiles(path))) return true;
    // Both: a copy of this database may have ended a focus that goes on in the original, and another clock may be wrong.
    return days >= keepDays && (keepDays === 0 || !(await changedSince(path, nowMs - keepDays * DAY_MS)));
  };
  let count = 0;
  const failed: unknown[] = [];
  const sweep = async (name: string, over: () => boolean | Promise<boolean>): Promise<void> => {
    try {
      const path = join(root, name);
      if (holdsWorktree(path) || !(await over())) return;
      await removeFocusDirectory(path);
      count += 1;
    } catch (error) {
      failed.push(error);
    }
  };
  for (const focus of ended) await sweep(focus.id, () => isOver(focus));
  for (const name of gone) await sweep(name, () => true);
  if (failed.length > 0)
    log.warn({ directories: failed.length, error: messageOf(failed[0]) }, 'could not remove directories of ended foci');
  return count;
}

const DAY_MS = 86_400_000;

/** Below a directory with one entry per focus or conversation: the foci that have ended, and the conversations that were deleted. */
async function endedBelow(
  db: Database,
  root: string,
): Promise<{ readonly ended: readonly EndedFocus[]; readonly gone: readonly string[] }> {
  const names = await readdir(root).catch(ifMissing([]));
  // A focus unknown to this database is ignored: a daemon of another database may share the directory.
  const ended = await endedFoci(
    db,
    names.filter((name) => /^[0-9a-f-]{36}$/.test(name)),
  );
  const conversations = names.flatMap((name) => /^chat-([0-9a-f-]{36})$/.exec(name)?.[1] ?? []);
  return { ended, gone: (await deletedConversations(db, conversations)).map((id) => `chat-${id}`) };
}

/** The names below `root` that belong to foci that have ended, and to deleted conversations. */
export async function namesOfEnded(db: Database, root: string): Promise<readonly string[]> {
  const { ended, gone } = await endedBelow(db, root);
  return [...ended.map(({ id }) => id), ...gone];
}

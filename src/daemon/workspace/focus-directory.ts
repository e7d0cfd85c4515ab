/** The scratch directories of foci on this host. */
import { lstatSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { spareUser, type User } from '../../process/runners/as-user.ts';
import { deletedConversations } from '../../store/conversations/read-conversation.ts';
import type { Database } from '../../store/sql/database.ts';
import { endedFocusIds } from '../../store/transcript/focus-row.ts';
import { removeDirectory } from './remove-directory.ts';

/** The own directory of one focus. Most foci that only talk to a model never need it, and making and removing one costs as much as a turn. */
export interface FocusDirectory {
  /** Makes it at the first call, before anything that may use it. */
  make(): Promise<void>;
  /** Whether it was needed. */
  isMade(): boolean;
  /** Removes it with everything in it, unless a worktree is in it: a person may still need that. */
  remove(): Promise<void>;
}

/** `create` makes it. */
export function focusDirectory(path: string, create: () => Promise<void>): FocusDirectory {
  let made: Promise<void> | null = null;
  return {
    make: () => (made ??= create()),
    isMade: () => made !== null,
    async remove() {
      if (made !== null && !holdsWorktree(path)) await removeFocusDirectory(path);
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
  if (process.getuid?.() !== 0 || (await stat(directory)).uid !== 0) return;
  const { uid, gid } = await commandUser(directory, place);
  await openWay(dirname(dirname(directory)), dirname(directory));
  await chown(directory, uid, gid);
}

/**
 * The user as whom the commands of a focus run with a daemon that is root and commands that run as the owner of where they start: the
 * owner of `place` (the faculty's workspace or repository), else a user that no other focus has.
 */
export async function commandUser(directory: string, place: string | null): Promise<User> {
  const owner = place === null ? null : await stat(place);
  const focusNumber = Number.parseInt(basename(directory).replaceAll('-', '').slice(-12), 16);
  return owner === null || owner.uid === 0 ? spareUser(focusNumber) : { uid: owner.uid, gid: owner.gid };
}

/** Lets other users enter directories of animus, but not list them. */
export async function openWay(...directories: readonly string[]): Promise<void> {
  for (const directory of directories) await chmod(directory, (await stat(directory)).mode | 0o011);
}

/** Removes a focus's directory with everything in it. */
export async function removeFocusDirectory(directory: string): Promise<void> {
  await removeDirectory(directory);
}

/** True while a worktree is in the focus's directory: a person may still need its content. */
export function holdsWorktree(directory: string): boolean {
  // Does not follow it: an agent may have replaced it with a symlink.
  return lstatSync(join(directory, 'worktree', '.git'), { throwIfNoEntry: false }) !== undefined;
}

/**
 * Removes what crashed daemons left: directories below `root` whose focus has ended, and those of deleted conversations. Keeps those with a worktree, for its content. Returns
 * how many were removed.
 */
export async function sweepFocusDirectories(db: Database, root: string): Promise<number> {
  const over = (await namesOfEnded(db, root)).filter((name) => !holdsWorktree(join(root, name)));
  for (const name of over) await removeFocusDirectory(join(root, name));
  return over.length;
}

/** The names below `root` that belong to foci that have ended, and to deleted conversations. */
export async function namesOfEnded(db: Database, root: string): Promise<readonly string[]> {
  const names = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  // A focus unknown to this database is ignored: a daemon of another database may share the directory.
  const ended = await endedFocusIds(
    db,
    names.filter((name) => /^[0-9a-f-]{36}$/.test(name)),
  );
  const chats = names.flatMap((name) => /^chat-([0-9a-f-]{36})$/.exec(name)?.[1] ?? []);
  const gone = (await deletedConversations(db, chats)).map((id) => `chat-${id}`);
  return [...ended, ...gone];
}

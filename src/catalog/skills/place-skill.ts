/** Writes the files of a skill into a directory of skills: all of them, or nothing. */
import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AnimusError, fileFault } from '../../core/errors/errors.ts';
import type { SkillContent } from './skill.ts';
import { isUsableSkillName } from './skill-name.ts';
import { TEMPORARY, wrongSkillPath } from './skill-path.ts';

export interface PlaceOptions {
  /** True: a folder that is there is replaced. Default false. */
  readonly replace?: boolean;
  /**
   * Asked before a folder is replaced, with the path to which it was moved: what it contains can no longer change. False: it is moved back,
   * and the error is `skill.exists`.
   */
  readonly mayReplace?: (old: string) => Promise<boolean>;
  /** Ends the writing; nothing stays. */
  readonly signal?: AbortSignal;
  /** The time, in ms since 1970; default: now. */
  readonly nowMs?: number;
}

/** The name of a folder that was moved aside, with that of its skill. */
const MOVED_ASIDE = /^\.animus-skill-(.+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-old$/;

/** A folder of that age was left behind by a process that was killed. */
const LEFT_BEHIND_MS = 3_600_000;
/** The same for a folder that was moved aside and whose place is free: nobody takes so long to replace it. */
const STRANDED_MS = 60_000;

/**
 * Writes the files into `root/name`, through a folder beside it that is renamed when it is complete; creates `root` if necessary. Returns
 * the new directory. Errors: `skill.exists`, unless `replace`; `skill.unwritable` (a full disk, no permission), and everything is as before.
 */
export async function placeSkill(
  root: string,
  name: string,
  files: readonly SkillContent[],
  { replace = false, mayReplace = async () => true, signal, nowMs = Date.now() }: PlaceOptions = {},
): Promise<string> {
  const directory = join(root, name);
  check(name, files);
  const fresh = join(root, `${TEMPORARY}${name}-${randomUUID()}`);
  try {
    await mkdir(root, { recursive: true });
    await cleanUpSkills(root, nowMs);
    if (!replace) refuseExisting(directory);
    await writeSkillFiles(fresh, files, signal);
    await exchange(fresh, directory, name, replace ? mayReplace : null);
    return directory;
  } catch (error) {
    if (signal?.aborted === true || error instanceof AnimusError) throw error;
    throw new AnimusError('skill.unwritable', { name, directory, detail: fileFault(error) }, { cause: error });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Writes the files into a new folder. Rejects with the reason of the signal when it aborts. */
export async function writeSkillFiles(
  folder: string,
  files: readonly SkillContent[],
  signal?: AbortSignal,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { path, content } of files) {
    signal?.throwIfAborted();
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { flag: 'wx', flush: true });
  }
  signal?.throwIfAborted();
}

/** The last step. The name is free for a moment when a folder is replaced: one rename cannot exchange two folders. */
async function exchange(
  fresh: string,
  directory: string,
  name: string,
  mayReplace: PlaceOptions['mayReplace'] | null,
): Promise<void> {
  const old = `${fresh}-old`;
  const isThere = mayReplace && exists(directory);
  if (isThere) await rename(directory, old);
  try {
    if (isThere && !(await mayReplace(old))) throw new AnimusError('skill.exists', { directory });
    // Also refuses a folder that somebody has made meanwhile, unless it is empty.
    await rename(fresh, directory);
  } catch (error) {
    if (isThere) await rename(old, directory);
    if (OCCUPIED.has((error as NodeJS.ErrnoException).code ?? ''))
      throw new AnimusError('skill.exists', { directory }, { cause: error });
    throw error;
  }
  if (isThere) await rm(old, { recursive: true, force: true });
}

const OCCUPIED = new Set(['EEXIST', 'ENOTEMPTY', 'ENOTDIR']);

function refuseExisting(directory: string): void {
  if (exists(directory)) throw new AnimusError('skill.exists', { directory });
}

/** Also true for a link that leads nowhere. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Removes what killed processes have left behind in a directory of skills, and moves back what they had moved aside. Throws the system's error. */
export async function cleanUpSkills(root: string, nowMs = Date.now()): Promise<void> {
  for (const entry of await readdir(root)) {
    if (!entry.startsWith(TEMPORARY)) continue;
    const path = join(root, entry);
    const stats = await lstat(path).catch(() => null);
    if (stats === null) continue;
    // A rename changes the ctime of a folder, not its mtime.
    const age = nowMs - stats.ctimeMs;
    const [, name] = MOVED_ASIDE.exec(entry) ?? [];
    const isStranded = name !== undefined && !exists(join(root, name));
    if (isStranded && age > STRANDED_MS) await rename(path, join(root, name));
    else if (!isStranded && age > LEFT_BEHIND_MS) await rm(path, { recursive: true, force: true });
  }
}

/** The caller has checked both; a mistake of it must not write elsewhere. */
function check(name: string, files: readonly SkillContent[]): void {
  const wrong = files.map(({ path }) => [path, wrongSkillPath(path)] as const).find(([, why]) => why !== null);
  if (wrong !== undefined) throw new AnimusError('internal.bug', { detail: `${JSON.stringify(wrong[0])} ${wrong[1]}` });
  if (!isUsableSkillName(name))
    throw new AnimusError('internal.bug', { detail: `${JSON.stringify(name)} is not a valid skill name` });
}

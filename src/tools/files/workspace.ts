/** Restricts file tools to the workspace by real path, also if links are swapped while a call runs. */

import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { ifMissing } from '../../core/files/if-missing.ts';
import { LONGEST_PATH } from '../../core/files/longest-path.ts';
import { accessTo, type FileRule, isWithin } from '../../process/file-rules.ts';
import type { Boundary } from '../tool.ts';
import { type Bounds, mountOf, placeOf, shownPath } from './mounts.ts';
import { isRefusal, type Refusal, refusalOf, refuse } from './refusal.ts';

/** A path that is inside the workspace; nothing is open yet. */
export interface InsidePath {
  /** Real path; its last parts may not exist. */
  readonly real: string;
  readonly exists: boolean;
  /** Relative to the workspace, for messages. */
  readonly shown: string;
}

/** An open directory of the workspace, verified after it was opened: paths under `base` cannot be redirected. */
export interface InsideDirectory extends AsyncDisposable {
  readonly base: string;
  /** Its real path when it was opened. */
  readonly real: string;
  readonly heir: Heir | null;
}

/**
 * The owner of files that root creates here: the owner of the directory, so that commands running as that user can use
 * them. Null if the user is not root, and in root's own directories.
 */
export interface Heir {
  readonly uid: number;
  readonly gid: number;
}
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_DIRECTORY } = constants;

/**
 * Resolves a path given by the model; a refusal if it is outside. Links within the workspace are followed. The workspace is
 * a real path and is compared as it is: if a link has replaced it since, nothing is inside any more.
 */
export async function resolveInside(bounds: Bounds, path: string): Promise<InsidePath | Refusal> {
  const unfit = unfitPath(path);
  if (unfit) return unfit;
  try {
    const found = await realpathOfExisting(placeOf(bounds, path), path);
    if (isRefusal(found)) return found;
    const problem = offLimits(bounds, found.real);
    if (problem) return refuse(`${path}: ${problem.why}`, problem.boundary);
    return { ...found, shown: shownPath(bounds, found.real) };
  } catch (error) {
    return refusalOf(error, path);
  }
}

/** Why a text cannot be a path; null if it can. For those that take it apart before it is resolved. */
export function unfitPath(path: string): Refusal | null {
  if (path.length > LONGEST_PATH)
    return refuse(`the path has ${path.length} characters; no system accepts more than ${LONGEST_PATH}`);
  return path.includes('\0') ? refuse('the path contains a NUL character') : null;
}

/** Opens a regular file to read: never blocks on a FIFO, never follows a link created after the path was resolved. */
export async function openInside(bounds: Bounds, path: InsidePath): Promise<FileHandle | Refusal> {
  let handle: FileHandle | undefined;
  try {
    // Opening some devices has effects, so check before opening, then check again what was opened.
    const unfit = unfitReason(await lstat(path.real));
    if (unfit) return refuse(`${path.shown}: ${unfit}`);
    handle = await open(path.real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    const kind = unfitReason(await handle.stat());
    const problem = kind === null ? offLimits(bounds, await realNow(path.real, handle)) : { why: kind };
    if (!problem) return handle;
    await handle.close();
    return refuse(`${path.shown}: ${problem.why}`, problem.boundary);
  } catch (error) {
    await handle?.close();
    return refusalOf(error, path.shown);
  }
}

/** Opens the directory at `path`; with `create`, creates it and its parents. Dispose of it after use. */
export async function openDirectoryInside(
  bounds: Bounds,
  path: string,
  options: { readonly create: boolean },
): Promise<InsideDirectory | Refusal> {
  const { workspace } = bounds;
  let handle: FileHandle | undefined;
  try {
    const missing: string[] = [];
    let existing = path;
    while (options.create && existing !== workspace && !(await isThere(existing))) {
      missing.unshift(basename(existing));
      existing = dirname(existing);
    }
    handle = await openDirectory(existing);
    const found = await realNow(existing, handle);
    const real = resolve(found, ...missing);
    const problem = offLimits(bounds, found) ?? (missing.length > 0 ? readOnlyReason(bounds, real) : null);
    const shown = shownPath(bounds, path);
    if (problem) return await closing(handle, refuse(`${shown}: ${problem.why}`, problem.boundary));
    let plain = existing;
    for (const name of missing) {
      const parent: FileHandle = handle;
      const child = `${baseOf(parent, plain)}/${name}`;
      const made = await mkdir(child).then(() => true, unlessItExists);
      handle = await openDirectory(child);
      const heir = made ? await heirOf(parent) : null;
      if (heir) await handle.chown(heir.uid, heir.gid);
      await parent.close();
      plain = `${plain}/${name}`;
    }
    const opened = handle;
    const base = baseOf(opened, plain);
    return { base, real, heir: await heirOf(opened), [Symbol.asyncDispose]: () => opened.close() };
  } catch (error) {
    return await closing(handle, refusalOf(error, shownPath(bounds, path)));
  }
}

/** Why a file of this kind cannot be read, or null. */
export function unfitReason(stats: Stats): string | null {
  if (stats.isFile()) return null;
  if (stats.isDirectory()) return 'is a directory; use list_dir';
  if (stats.isFIFO()) return 'is a named pipe, not a regular file';
  if (stats.isSocket()) return 'is a socket, not a regular file';
  if (stats.isSymbolicLink()) return 'is a symbolic link that was changed just now; try again';
  return 'is a device, not a regular file';
}

/** The real path of the existing part, with the missing rest appended. */
async function realpathOfExisting(
  absolute: string,
  shown: string,
): Promise<{ real: string; exists: boolean } | Refusal> {
  const missing: string[] = [];
  for (let path = absolute; ; path = dirname(path)) {
    try {
      return { real: resolve(await realpath(path), ...missing), exists: missing.length === 0 };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path === dirname(path)) throw error;
      // A dangling link: creating a file through it would create its target, wherever that is.
      if (await isThere(path)) return refuse(`${shown}: goes through a symbolic link whose target does not exist`);
      missing.unshift(basename(path));
    }
  }
}

/** Gets the current path from the kernel, because the file may have moved between resolving and opening. */
function realNow(path: string, handle: FileHandle): Promise<string> {
  return process.platform === 'linux' ? readlink(`/proc/self/fd/${handle.fd}`) : realpathOfSame(path, handle);
}

/** Why something may not be done with a path. */
export interface PathProblem {
  readonly why: string;
  readonly boundary?: Boundary;
}

/** Why this real path may not be written, created, moved or removed, or null. */
export function readOnlyReason(bounds: Bounds, real: string): PathProblem | null {
  const { fileRules } = bounds;
  if (mountOf(bounds, real))
    return { why: 'belongs to a skill; the files of skills are read-only', boundary: 'read_only' };
  if (accessTo(fileRules, real) === 'all') return null;
  const why = 'is read-only for agents: animus, or a program that it starts, loads or runs it';
  return { why, boundary: 'read_only' };
}

/** Why a real path is not accessible, or null. */
function offLimits(bounds: Bounds, real: string): PathProblem | null {
  const { workspace, fileRules } = bounds;
  if (mountOf(bounds, real)) return null;
  if (!isWithin(workspace, real)) return { why: outside(workspace), boundary: 'workspace' };
  if (!isHidden(fileRules, real)) return null;
  const why = 'is not accessible to tools: it contains secrets of animus or describes processes of this host';
  return { why, boundary: 'secret' };
}

/** True for a real path with secrets. /proc shows the environment of the daemon to its own user. */
export function isHidden(fileRules: readonly FileRule[], real: string): boolean {
  return isWithin('/proc', real) || accessTo(fileRules, real) === 'hidden';
}

/** Without /proc: the real path of the name, if it still is the opened file. */
async function realpathOfSame(path: string, handle: FileHandle): Promise<string> {
  const real = await realpath(path);
  const [now, opened] = await Promise.all([lstat(real), handle.stat()]);
  return now.dev === opened.dev && now.ino === opened.ino ? real : '';
}

function openDirectory(path: string): Promise<FileHandle> {
  return open(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
}

/** A path prefix for the opened directory itself, as with openat. Without /proc, its path is the best approximation. */
function baseOf(handle: FileHandle, path: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
}

function outside(root: string): string {
  return `is outside the workspace ${root}, which this tool may not leave; give a path inside it`;
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(() => true, ifMissing(false));
}

async function heirOf(directory: FileHandle): Promise<Heir | null> {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = await directory.stat();
  return uid === 0 ? null : { uid, gid };
}

function unlessItExists(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  return false;
}

async function closing<T>(handle: FileHandle | undefined, result: T): Promise<T> {
  await handle?.close();
  return result;
}

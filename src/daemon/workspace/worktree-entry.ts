/**
 * The repository's entry of a worktree, `worktrees/NAME` in its common directory. It is found from the side of the repository.
 * The `.git` file in the worktree, which the agent can write, is never read, only repaired.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { placeFile } from '../../core/files/regular-file.ts';
import { readPointer } from './repository.ts';

/** The directory of the entry for the worktree at this real path, or null. */
export function findEntry(commonDir: string, worktree: string): string | null {
  const entries = join(commonDir, 'worktrees');
  for (const name of namesIn(entries)) {
    const entry = join(entries, name);
    if (lstatSync(entry).isDirectory() && pointsTo(entry, join(worktree, '.git'))) return entry;
  }
  return null;
}

/** Updates the path of the worktree in its entry, after a move. */
export async function pointEntry(entry: string, worktree: string): Promise<void> {
  await placeFile(entry, 'gitdir', `${join(worktree, '.git')}\n`);
}

/**
 * Restores the pointers between worktree, entry and repository, whatever an agent wrote there. The owner's next git command in
 * the worktree then uses only the repository's configuration.
 */
export async function mendLinks(commonDir: string, entry: string, worktree: string): Promise<void> {
  const wanted = `gitdir: ${entry}`;
  if (readOr(join(worktree, '.git')) !== wanted) await placeFile(worktree, '.git', `${wanted}\n`);
  const up = readOr(join(entry, 'commondir'));
  if (up !== '../..' && up !== commonDir) await placeFile(entry, 'commondir', '../..\n');
}

/** All processes of the focus are dead, so no process uses these. */
export async function dropStaleLocks(entry: string): Promise<void> {
  for (const name of ['index.lock', 'HEAD.lock']) await rm(join(entry, name), { force: true });
}

/** Why git must not read the entry, or null: git would wait for a pipe for ever. */
export async function unfitEntry(entry: string): Promise<string | null> {
  for (const file of await readdir(entry, { withFileTypes: true })) {
    if (!file.isFile() && !file.isDirectory()) return `${join(entry, file.name)} is no regular file`;
  }
  return null;
}

/** True for a directory, false for a symlink to one. */
export function isPlainDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function namesIn(directory: string): readonly string[] {
  return isPlainDirectory(directory) ? readdirSync(directory) : [];
}

function pointsTo(entry: string, dotGit: string): boolean {
  const named = readOr(join(entry, 'gitdir'));
  // Relative if the repository is configured so.
  return named !== null && resolve(entry, named) === dotGit;
}

/** Null when it cannot be read: then it is not the wanted file, whatever the reason. */
function readOr(file: string): string | null {
  try {
    return readPointer(file);
  } catch {
    return null;
  }
}

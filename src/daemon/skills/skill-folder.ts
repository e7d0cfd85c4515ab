/** Replaces one folder of a skill: all of it or nothing, and never what somebody else put there. */
import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { contentHashOf } from '../../catalog/skills/content-hash.ts';
import { listSkillFiles } from '../../catalog/skills/list-skill-files.ts';
import { writeSkillFiles } from '../../catalog/skills/place-skill.ts';
import { readListedFiles } from '../../catalog/skills/read-listed-files.ts';
import type { SkillContent } from '../../catalog/skills/skill.ts';
import { SKILL_LIMITS } from '../../catalog/skills/skill-limits.ts';
import { isLeftOut, TEMPORARY } from '../../catalog/skills/skill-path.ts';

/** As `placeSkill` names them: a folder that is being written, or (`-old`) one that was moved aside. No scan takes them for skills. */
const LEFT_BEHIND = /^\.animus-skill-([a-z0-9-]+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-old)?$/;
const ASIDE = '-old';
/** An exchange takes milliseconds; a folder of this age was left behind by a process that was killed. */
const LEFT_BEHIND_MS = 600_000;

/**
 * What is in the place of a skill: null, nothing; the hash of the files of a folder; `unreadable`, something else, also a folder with hidden files:
 * they are not part of the hash, and would be deleted with it.
 */
export function hashOnDisk(directory: string): string | null {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isDirectory()) return 'unreadable';
  try {
    const { files, findings } = listSkillFiles(directory, SKILL_LIMITS);
    if (findings.length > 0 || keepsHidden(directory)) return 'unreadable';
    return contentHashOf(readListedFiles(files, SKILL_LIMITS));
  } catch {
    return 'unreadable';
  }
}

/** Whether it has something of a person that is not part of the skill, such as a `.git`. Throws the system's error. */
function keepsHidden(directory: string): boolean {
  return readdirSync(directory, { withFileTypes: true }).some((entry) => {
    if (MADE_BY_PROGRAMS.has(entry.name)) return false;
    return isLeftOut(entry.name) || (entry.isDirectory() && keepsHidden(join(directory, entry.name)));
  });
}

/** Made by programs, which make it again. */
const MADE_BY_PROGRAMS = new Set(['__pycache__', '.DS_Store']);

/**
 * Puts these files (null: nothing) in the place of a folder that has hash `expected` (null: of nothing). Returns false, and leaves everything as it
 * is, if something else is there by then. The name is free for a moment while a folder is replaced. Rejects with the system's error, such as
 * that of a full disk; then, too, everything is as before.
 */
export async function exchangeFolder(
  root: string,
  name: string,
  files: readonly SkillContent[] | null,
  expected: string | null,
): Promise<boolean> {
  const [directory, fresh] = [join(root, name), join(root, `${TEMPORARY}${name}-${randomUUID()}`)];
  try {
    if (files !== null) await writeSkillFiles(fresh, files);
    const aside = expected === null ? null : await moveAside(directory, fresh + ASIDE, expected);
    if (aside === false) return false;
    const placed = files === null || (await renameIfFree(fresh, directory));
    if (aside !== null) await rm(aside, { recursive: true, force: true });
    return placed;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Removes what a killed process has left in a directory of skills. A folder that was moved aside and is not `ours` goes back to its place. */
export async function recoverFolders(root: string, ours: (name: string, hash: string) => boolean): Promise<void> {
  for (const entry of await readdir(root).catch(() => [])) {
    const [, name] = LEFT_BEHIND.exec(entry) ?? [];
    if (name === undefined) continue;
    const path = join(root, entry);
    const { ctimeMs } = await lstat(path).catch(() => ({ ctimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - ctimeMs < LEFT_BEHIND_MS) continue;
    if (entry.endsWith(ASIDE) && !ours(name, hashOnDisk(path) ?? '')) await renameIfFree(path, join(root, name));
    else await rm(path, { recursive: true, force: true });
  }
}

/** Moved first and read then: an edit in between is in what is read. */
async function moveAside(directory: string, aside: string, expected: string): Promise<string | false> {
  if (!(await renameIfThere(directory, aside))) return false;
  if (hashOnDisk(aside) === expected) return aside;
  await renameIfFree(aside, directory);
  return false;
}

async function renameIfThere(from: string, to: string): Promise<boolean> {
  return renamed(from, to, ['ENOENT']);
}

/** False if something is there: a folder that is not empty, or a file. */
async function renameIfFree(from: string, to: string): Promise<boolean> {
  return renamed(from, to, ['EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EPERM']);
}

async function renamed(from: string, to: string, tolerated: readonly string[]): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (tolerated.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

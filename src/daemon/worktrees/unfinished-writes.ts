/** The temporary files of writes in a worktree: git is told to pass over them, and what a killed daemon has left is removed. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { placeFile, readRegularFile } from '../../core/files/regular-file.ts';
import { whileHeld } from '../../core/lifecycle/lease.ts';
import { isTemporaryName, TEMPORARY_PATTERN } from '../../tools/files/temporary-names.ts';
import type { GitPlace, GitWriter } from '../git/git.ts';
import { readGit } from '../git/repository-writes.ts';

/** Keeps them out of what the agent's git adds, even while they are written. Other lines of `info/exclude` stay. Errors: `work.lease_lost`. */
export async function passOverTemporary(dotGit: string, { lease }: GitWriter): Promise<void> {
  const info = join(dotGit, 'info');
  const lines = linesIn(join(info, 'exclude'));
  if (lines?.at(-1) === TEMPORARY_PATTERN) return;
  // The last line that matches counts.
  const others = (lines ?? []).filter((line) => line !== TEMPORARY_PATTERN);
  await lease.sure();
  const text = [...others, TEMPORARY_PATTERN, ''].join('\n');
  await placeFile(info, 'exclude', Buffer.from(text, 'latin1'));
}

/** With a character for each byte: a pattern need not be UTF-8. Null when it is not a file that git could read as a list. */
function linesIn(file: string): readonly string[] | null {
  try {
    return readRegularFile(file, { followLink: false }).toString('latin1').replace(/\n$/, '').split('\n');
  } catch {
    return null;
  }
}

/** Called while nobody writes into the worktree, so each of them is of a daemon that was killed or has lost the lease. Errors: `worktree.failed`, `work.lease_lost`. */
export async function removeUnfinished(place: GitPlace, git: GitWriter): Promise<void> {
  // With this pattern as the only one, files in ignored directories are also listed.
  const args = ['ls-files', '-z', '--others', '--ignored', `--exclude=${TEMPORARY_PATTERN}`];
  const listed = (await readGit(place, args, git)).split('\0').filter(isTemporaryName);
  for (const path of listed) await whileHeld(git.lease, () => rm(join(place.workTree!, path), { force: true }));
}

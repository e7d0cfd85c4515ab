/**
 * Puts a private repository into a known state, whatever an agent left in its `.git`: nothing there can make the git of the daemon, or of a person, run
 * a program. Called while no command of the item runs.
 */
import { lstatSync, rmSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AnimusError } from '../../core/errors/errors.ts';
import { placeFile, readRegularFile } from '../../core/files/regular-file.ts';
import { type Lease, whileHeld } from '../../core/lifecycle/lease.ts';
import type { GitPlace, GitWriter, Setting } from '../git/git.ts';
import { parseSettings, privateConfig } from '../git/private-config.ts';
import { readGit } from '../git/repository-writes.ts';
import { commitHook } from './commit-hook.ts';
import type { Origin } from './open-origin.ts';
import { alternates, BEGAN } from './private-repository.ts';
import { passOverTemporary } from './unfinished-writes.ts';
import { isPlainDirectory } from './worktrees-root.ts';

/** Git looks for its directories and configuration elsewhere where one of these exists. */
const MISLEADING = [
  'commondir',
  'gitdir',
  'config.worktree',
  'objects/info/http-alternates',
  'info/attributes',
  'info/grafts',
];

/** `gone`: nothing is there. `damaged`: a directory without a complete repository. */
export function lookAtPrivate(path: string): 'whole' | 'damaged' | 'gone' {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return 'gone';
  const dotGit = join(path, '.git');
  const isWhole =
    isPlainDirectory(path) &&
    isPlainDirectory(dotGit) &&
    ['objects', 'refs'].every((name) => isPlainDirectory(join(dotGit, name))) &&
    ['HEAD', BEGAN].every((name) => lstatSync(join(dotGit, name), { throwIfNoEntry: false })?.isFile());
  return isWhole ? 'whole' : 'damaged';
}

/** `open`: an agent is about to work in it. Errors: `worktree.failed`. */
export async function mendPrivate(path: string, open: boolean, origin: Origin, git: GitWriter): Promise<void> {
  const dotGit = join(path, '.git');
  await removeOdd(dotGit, git.lease);
  for (const name of [...MISLEADING, 'hooks']) await remove(join(dotGit, name), git.lease);
  for (const name of ['objects/info', 'info', 'hooks']) await mkdir(join(dotGit, name), { recursive: true });
  await git.lease.sure();
  await placeFile(join(dotGit, 'objects/info'), 'alternates', alternates(origin.repository));
  await passOverTemporary(dotGit, git);
  await mendConfig(dotGit, open, origin, git);
  if (open && origin.settings.hooksPath === null) await commitHook(join(dotGit, 'hooks'), origin.trailers);
}

async function mendConfig(dotGit: string, open: boolean, origin: Origin, git: GitWriter): Promise<void> {
  const found = readOr(join(dotGit, 'config'));
  const isOurs = found !== null && [true, false].some((was) => found === privateConfig(origin.settings, { open: was }));
  const agent = found === null || isOurs ? [] : await parsed(found, origin.place, git);
  await git.lease.sure();
  await placeFile(dotGit, 'config', privateConfig(origin.settings, { open, agent }));
}

/** Parsed as text, without what it includes. A file that git cannot parse counts as empty. */
async function parsed(text: string, place: GitPlace, git: GitWriter): Promise<readonly Setting[]> {
  const args = ['config', '--file', '-', '--no-includes', '--null', '--list'];
  const listed = await readGit(place, args, git, { stdin: text }).catch((error: unknown) => {
    if (error instanceof AnimusError && error.code === 'worktree.failed') return '';
    throw error;
  });
  return parseSettings(listed);
}

/**
 * Removes the locks of git commands that were killed, and what git would wait for without end or follow elsewhere: a pipe, a device, a link in place of a
 * file. Only `.git` itself and `refs` are looked through; git opens nothing else by a name that it did not write.
 */
async function removeOdd(dotGit: string, lease: Lease): Promise<void> {
  const entries = [
    ...(await readdir(dotGit, { withFileTypes: true })),
    ...(await readdir(join(dotGit, 'refs'), { recursive: true, withFileTypes: true })),
  ];
  for (const entry of entries) {
    const isOdd = !entry.isFile() && !entry.isDirectory();
    if (isOdd || entry.name.endsWith('.lock')) {
      await remove(join(entry.parentPath, entry.name), lease);
    }
  }
}

/** Small files: after a freeze, another daemon's git may hold a lock of the same name. */
async function remove(path: string, lease: Lease): Promise<void> {
  await whileHeld(lease, () => rmSync(path, { recursive: true, force: true }));
}

/** Null when it is not a file that could be the configuration. */
function readOr(file: string): string | null {
  try {
    return readRegularFile(file, { followLink: false }).toString('utf8');
  } catch {
    return null;
  }
}

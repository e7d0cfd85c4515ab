/**
 * Makes the private repository of an item: an ordinary checkout with a `.git` directory of its own, which borrows the objects of the
 * operator's repository. Git calls that alternates (gitrepository-layout). Nothing else is shared.
 */
import { existsSync, renameSync } from 'node:fs';
import { chmod, chown, copyFile, lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AnimusError } from '../../core/errors/errors.ts';
import { whileHeld } from '../../core/lifecycle/lease.ts';
import { removeRenamed } from '../../process/remove-directory.ts';
import type { GitPlace, GitWriter } from '../git/git.ts';
import { type PrivateSettings, privateConfig } from '../git/private-config.ts';
import { filtersOff } from '../git/programs-off.ts';
import type { Refs } from '../git/read-refs.ts';
import type { Repository } from '../git/repository.ts';
import { readGit } from '../git/repository-writes.ts';
import { beside, removeLeftovers, renameIfThere } from './beside.ts';
import type { Origin } from './open-origin.ts';
import { isPlainDirectory } from './worktrees-root.ts';

/** What the checkout begins with. */
export interface PrivateStart {
  readonly branch: string;
  /** The commit that is checked out. */
  readonly commit: string;
  /** A commit on top of it whose files are put into the checkout, uncommitted; null: none. */
  readonly rest: string | null;
  /** The refs that it has from the operator's repository, as lines of `packed-refs` (`copiedRefs`). */
  readonly refs: string;
}

type MadeWith = Pick<Origin, 'repository' | 'settings'>;

/** Marks a checkout that is complete, and lists the refs that it began with, as in `packed-refs`. */
export const BEGAN = 'animus-began';

/** Refs of other work, and what belongs to one checkout alone, are not copied. */
const NOT_COPIED = /^refs\/(animus|heads\/animus|stash|bisect|rewritten|worktree)(\/|$)/;

/** The place of a private repository for the daemon's git. Filters of its configuration are not run. */
export function privatePlace(path: string, { operator }: Pick<PrivateSettings, 'operator'>): GitPlace {
  const gitDir = join(path, '.git');
  return { gitDir, commonDir: gitDir, workTree: path, off: filtersOff(operator).off };
}

/**
 * Makes it at `path`, where nothing is. A checkout that a crash cut off is never there: it is made beside it and then renamed. The parent directory
 * exists. Errors: `worktree.failed`.
 */
export async function makePrivate(path: string, start: PrivateStart, origin: MadeWith, git: GitWriter): Promise<void> {
  await madeBeside(path, git, async (making) => {
    await layOut(making, start, origin);
    await giveToOwner(making, origin.repository);
    await checkOut(privatePlace(making, origin.settings), start, git);
    await whileHeld(git.lease, () => renameSync(making, path));
  });
}

async function madeBeside(path: string, { lease }: GitWriter, make: (making: string) => Promise<void>): Promise<void> {
  await removeLeftovers(path, lease);
  const making = beside(path, 'making');
  try {
    await make(making);
  } finally {
    await removeRenamed(making);
  }
}

/** Puts the files of a commit into a checkout and removes other tracked ones; with `rest`, its files, and the difference is uncommitted. */
export async function checkOut(
  place: GitPlace,
  { commit, rest }: Pick<PrivateStart, 'commit' | 'rest'>,
  git: GitWriter,
): Promise<void> {
  // As many processes as there are cores: a checkout of 10,000 files takes a sixth less.
  await readGit(place, ['-c', 'checkout.workers=0', 'reset', '--quiet', '--hard', rest ?? commit], git);
  if (rest !== null) await readGit(place, ['reset', '--quiet', '--mixed', commit], git);
}

/** Makes the `.git` of a directory again and keeps its files; the old `.git` is put beside the directory. Errors: `worktree.failed`. */
export async function remakeDotGit(path: string, start: PrivateStart, origin: MadeWith, git: GitWriter): Promise<void> {
  if (!isPlainDirectory(path)) {
    const detail = `${path} is no longer a directory: move away what is there`;
    throw new AnimusError('worktree.failed', { repo: origin.repository.repo, detail });
  }
  const [dotGit, aside] = [join(path, '.git'), join(dirname(path), `.damaged-${basename(path)}-${Date.now()}`)];
  await madeBeside(path, git, async (making) => {
    await layOut(making, start, origin);
    await giveToOwner(making, origin.repository);
    await whileHeld(git.lease, () => {
      renameIfThere(dotGit, aside);
      renameSync(join(making, '.git'), dotGit);
    });
  });
  await readGit(privatePlace(path, origin.settings), ['reset', '--quiet', '--mixed', start.commit], git);
}

async function layOut(
  making: string,
  { branch, commit, refs }: PrivateStart,
  { repository, settings }: MadeWith,
): Promise<void> {
  const dotGit = join(making, '.git');
  for (const directory of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info', 'hooks']) {
    await mkdir(join(dotGit, directory), { recursive: true, mode: 0o755 });
  }
  await chmod(making, 0o700);
  await writeFile(join(dotGit, 'HEAD'), `ref: refs/heads/${branch}\n`);
  await writeFile(join(dotGit, 'config'), privateConfig(settings, { open: true }));
  await writeFile(join(dotGit, 'objects/info/alternates'), alternates(repository));
  await writeFile(join(dotGit, 'packed-refs'), `# pack-refs with: \n${refs}`);
  await writeFile(join(dotGit, BEGAN), refs);
  await mkdir(dirname(join(dotGit, 'refs/heads', branch)), { recursive: true });
  await writeFile(join(dotGit, 'refs/heads', branch), `${commit}\n`);
  const shallow = join(repository.commonDir, 'shallow');
  if (existsSync(shallow)) await copyFile(shallow, join(dotGit, 'shallow'));
}

/** The file that names the borrowed objects. Git reads a line that begins with a quote as a string of C. */
export function alternates({ commonDir }: Repository): string {
  const objects = join(commonDir, 'objects');
  const plain = /^[^"#\n][^\n]*$/.test(objects);
  return `${plain ? objects : `"${objects.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`}\n`;
}

/** Branches, tags and remote branches as they are now; those of other work are left out. */
export function copiedRefs({ byName }: Refs): string {
  return [...byName]
    .filter(([name]) => !NOT_COPIED.test(name))
    .map(([name, commit]) => `${commit} ${name}\n`)
    .join('');
}

/** What root makes in it belongs to the owner of the repository, like what the agent's commands make where they run as that user. */
async function giveToOwner(directory: string, { commonDir }: Repository): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await lstat(commonDir);
  if (uid === 0) return;
  await chown(directory, uid, gid);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    await chown(join(entry.parentPath, entry.name), uid, gid);
  }
}

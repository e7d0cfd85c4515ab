/**
 * Takes over the work of an item that began in a linked worktree, as versions up to 0.2 made them in the directory of a focus. That directory is kept:
 * files that git ignores are only there.
 */
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { HandedCommits } from '../../store/work/worktrees.ts';
import type { GitPlace, GitWriter } from '../git/git.ts';
import { readPointer } from '../git/repository.ts';
import { readGit, writeGit } from '../git/repository-writes.ts';
import { commitTree, readStatus, writeTree } from '../git/snapshot.ts';
import type { Origin } from './open-origin.ts';
import type { WorktreeNames } from './worktree-refs.ts';
import { isPlainDirectory } from './worktrees-root.ts';

/** Commits what is in the newest of these directories that has one; null: none has. Errors: `worktree.failed`. */
export async function takeOverLinked(
  directories: readonly string[],
  names: WorktreeNames,
  origin: Origin,
  git: GitWriter,
): Promise<HandedCommits | null> {
  const place = findLinked(directories, origin);
  if (place === null) return null;
  const { head, changed } = await readStatus(place, git);
  if (head === null) return null;
  const rest = changed.length === 0 ? null : await commitFiles(place, head, changed, origin, git);
  const kept = rest ?? head;
  // The branch is ours to move, and may not be checked out there.
  const stdin = `update ${names.handed}rest ${kept}\nupdate ${names.placed} ${head}\nupdate refs/heads/${names.branch} ${head}\n`;
  await readGit(place, ['update-ref', '--no-deref', 'HEAD', head], git);
  await writeGit(origin.place, ['update-ref', '--stdin'], git, { stdin });
  return { tip: head, rest };
}

async function commitFiles(
  place: GitPlace,
  parent: string,
  changed: readonly string[],
  { settings: { author } }: Origin,
  git: GitWriter,
): Promise<string> {
  const { tree } = await writeTree(place, { paths: changed, parent }, 'ours', git);
  return commitTree(place, { tree, parent }, { author, message: 'Keep files that were left uncommitted\n' }, git);
}

/** By the repository's own entry: the `.git` file of the worktree, which the agent can write, is not read. */
function findLinked(directories: readonly string[], { repository: { commonDir }, place }: Origin): GitPlace | null {
  for (const directory of directories.filter(isPlainDirectory)) {
    const workTree = join(realpathSync(directory), 'worktree');
    if (!isPlainDirectory(workTree)) continue;
    const gitDir = entriesOf(commonDir).find((entry) => pointsTo(entry, join(workTree, '.git')));
    if (gitDir !== undefined) return { ...place, gitDir, workTree };
  }
  return null;
}

function entriesOf(commonDir: string): readonly string[] {
  const parent = join(commonDir, 'worktrees');
  return isPlainDirectory(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [];
}

function pointsTo(entry: string, dotGit: string): boolean {
  const file = join(entry, 'gitdir');
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true && resolve(entry, readPointer(file)) === dotGit;
}

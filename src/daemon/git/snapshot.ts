/** What an agent has left uncommitted in its private repository, and how it becomes a commit. */
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../core/files/if-missing.ts';
import { isTemporaryName } from '../../tools/files/temporary-names.ts';
import { filteredPaths } from './filtered-files.ts';
import { committer, type GitInput, type GitPlace, type GitWriter, runGit } from './git.ts';
import { readGit, readGits } from './repository-writes.ts';

/** The state of the checkout. */
export interface CheckoutStatus {
  /** The commit of HEAD; null where the agent began a history of its own. */
  readonly head: string | null;
  /** Paths with uncommitted changes that a commit can contain. */
  readonly changed: readonly string[];
  /** Paths that only the directory has, by the reason; see docs/worktrees.md. */
  readonly left: Readonly<Record<LeftReason, readonly string[]>>;
}

/** `ignored`: files and directories that match a pattern. `embedded`: a repository in the checkout. `filtered`: git stores something else, made by a program that is not run. `names`: not UTF-8. */
export type LeftReason = 'ignored' | 'embedded' | 'filtered' | 'names';

const STATUS = ['status', '--porcelain=v2', '--branch', '-z'] as const;

/** Looks at every file. Submodules count as the commit they are at. What a write is made through, or a killed one has left, does not count. */
export async function readStatus(place: GitPlace, git: GitWriter): Promise<CheckoutStatus> {
  const listed = await readGit(
    place,
    [...STATUS, '--untracked-files=all', '--ignored=matching', '--ignore-submodules=dirty', '--no-renames'],
    git,
  );
  const entries = listed.split('\0').filter((entry) => entry !== '' && !isUntrackedTemporary(entry));
  const head = entries.find((entry) => entry.startsWith('# branch.oid '))?.slice('# branch.oid '.length);
  const paths = entries.filter((entry) => !/^[#!] /.test(entry)).map(pathOf);
  const embedded = paths.filter((path) => path.endsWith('/'));
  // What is not UTF-8 was decoded with replacement characters and cannot be named to git again.
  const names = paths.filter((path) => path.includes('\uFFFD'));
  const plain = paths.filter((path) => !path.endsWith('/') && !path.includes('\uFFFD'));
  const { changed: filtered, all } = await filteredPaths(place, plain, git);
  return {
    head: head === undefined || head === '(initial)' ? null : head,
    changed: plain.filter((path) => !all.has(path)),
    left: { ignored: entries.filter((entry) => entry.startsWith('! ')).map(pathOf), embedded, filtered, names },
  };
}

function isUntrackedTemporary(entry: string): boolean {
  return /^[?!] /.test(entry) && isTemporaryName(pathOf(entry));
}

/** A line of porcelain v2: seven fields before the path of a changed one, nine before that of an unmerged one, one before a new one. */
function pathOf(entry: string): string {
  const fields = entry.startsWith('1 ') ? 8 : entry.startsWith('u ') ? 10 : 1;
  let at = 0;
  for (let n = 0; n < fields; n++) at = entry.indexOf(' ', at) + 1;
  return entry.slice(at);
}

/** A tree, and what the commit is like that it goes on top of. */
export interface WrittenTree {
  readonly tree: string;
  /** The tree of the parent, and its date as git writes one. */
  readonly above: { readonly tree: string; readonly date: string };
}

/**
 * Writes the tree with these paths as they are on disk now, on top of the index. `ours`: a copy of the index is changed and removed again; `theirs`: the
 * index itself, for a commit that follows.
 */
export async function writeTree(
  place: GitPlace,
  { paths, parent }: { readonly paths: readonly string[]; readonly parent: string },
  index: 'ours' | 'theirs',
  git: GitWriter,
): Promise<WrittenTree> {
  const copy = join(place.gitDir, 'animus-index');
  if (index === 'ours') await copyFile(join(place.gitDir, 'index'), copy).catch(ifMissing(undefined));
  const input: GitInput = index === 'ours' ? { env: { GIT_INDEX_FILE: copy } } : {};
  const stdin = paths.map((path) => `${path}\0`).join('');
  const update = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
  const look = ['log', '-1', '--no-show-signature', '--format=%T %cd', '--date=raw', parent, '--'];
  try {
    const [, written = '', shown = ''] = await readGits(
      [
        { place, args: update, input: { ...input, stdin } },
        { place, args: ['write-tree'], input },
        { place, args: look },
      ],
      git,
    );
    const [tree = '', ...date] = shown.trim().split(' ');
    return { tree: written.trim(), above: { tree, date: date.join(' ') } };
  } finally {
    if (index === 'ours') await rm(copy, { force: true });
  }
}

/** Who commits, and the message. */
export interface CommitWords {
  readonly author: { readonly name: string; readonly email: string };
  readonly message: string;
}

/** Makes a commit of a tree; no ref names it yet. `date`: as git writes one; default now. */
export async function commitTree(
  place: GitPlace,
  { tree, parent, date }: { readonly tree: string; readonly parent: string; readonly date?: string },
  { author, message }: CommitWords,
  git: GitWriter,
): Promise<string> {
  const env = {
    ...committer(author),
    ...(date !== undefined && { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }),
  };
  const args = ['commit-tree', tree, '-p', parent, '-F', '-'];
  return (await readGit(place, args, git, { env, stdin: message })).trim();
}

/** True if a commit is an ancestor of another one, or the same. */
export async function isAncestor(place: GitPlace, older: string, newer: string, git: GitWriter): Promise<boolean> {
  return (await runGit(place, ['merge-base', '--is-ancestor', older, newer], git)).ok;
}

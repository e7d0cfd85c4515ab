/** The git worktree of a focus: created on its own branch, found again after a crash, removed when it is unchanged. */
import { realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AnimusError } from '../../core/errors/errors.ts';
import { type GitPlace, programsOff, runGit } from './git.ts';
import { findRepository, type Repository } from './repository.ts';
import { readGit, type WriteMeans, writeGit } from './repository-writes.ts';
import { changesIn, type WorktreeChanges } from './worktree-changes.ts';
import { dropStaleLocks, findEntry, isPlainDirectory, mendLinks, pointEntry } from './worktree-entry.ts';

export interface WorktreeSpec {
  /** The operator's repository, bare or not; absolute. */
  readonly repo: string;
  /** The focus's directory; the worktree is `worktree` in it. */
  readonly directory: string;
  readonly branch: string;
  /** Directories of earlier foci of the item on this host, newest first: the worktree of the first that has one is taken over. */
  readonly earlier?: readonly string[];
}

export interface Worktree extends WorktreeSpec {
  /** Absolute real path. */
  readonly path: string;
  readonly repository: Repository;
  /** Its directory in the repository, `worktrees/NAME`. */
  readonly entry: string;
  /** The commit the branch began at. */
  readonly base: string;
  /**
   * `kept`: it existed, with all its changes. `taken_over`: the same, from an earlier focus. `from_branch`: created again,
   * uncommitted changes are lost.
   */
  readonly made: 'new' | 'kept' | 'taken_over' | 'from_branch';
  /** The repository has uncommitted changes, which are not in the worktree. */
  readonly repoIsDirty: boolean;
  /** Filters of the repository that were not run (such as `lfs`): their files contain what git stores, such as pointers. */
  readonly filters: readonly string[];
}

export type { WorktreeChanges } from './worktree-changes.ts';
export type WorktreeMeans = WriteMeans;

/** Creates the focus's worktree, or finds it. Errors: `worktree.failed` with the repository and git's message. */
export async function openWorktree(spec: WorktreeSpec, means: WorktreeMeans): Promise<Worktree> {
  const { branch } = spec;
  const { place, repository, filters } = await openRepository(spec.repo, means);
  const path = join(await realpath(spec.directory), 'worktree');
  const { base, tip } = await refsOf(branch, place, means);
  const takenOver = base !== null && (await takeOver(spec, path, repository));
  const found = base === null ? null : whole(repository, path);
  if (base !== null && found !== null) {
    await dropStaleLocks(found);
    await mendLinks(repository.commonDir, found, path);
    const made = takenOver ? 'taken_over' : 'kept';
    return { ...spec, path, repository, entry: found, base, made, repoIsDirty: false, filters };
  }
  // Incomplete, or registered by a host that no longer exists: create it again.
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
  await writeGit(place, ['worktree', 'prune'], means);
  const start = (tip === null ? null : base) ?? (await startingPoint(place, means));
  const what = tip === null ? ['--no-track', '-b', branch, path, start] : [path, branch];
  // Forced twice: an entry for this branch that a killed daemon left locked is ours.
  await writeGit(place, ['worktree', 'add', '--quiet', '-f', '-f', ...what], means);
  // Written last: it proves that the checkout is complete.
  await writeGit(place, ['update-ref', baseRef(branch), start], means);
  const entry = findEntry(repository.commonDir, path);
  if (entry === null) throw failure(spec.repo, 'git created a worktree without an entry for it');
  return {
    ...spec,
    path,
    repository,
    entry,
    base: start,
    made: tip === null ? 'new' : 'from_branch',
    repoIsDirty: repository.workTree !== null && (await readGit(place, ['status', '--porcelain', '-z'], means)) !== '',
    filters,
  };
}

/** Returns what changed; removes worktree and branch when nothing did. Errors: `worktree.failed`; then everything stays. */
export async function closeWorktree(worktree: Worktree, means: WorktreeMeans): Promise<WorktreeChanges> {
  const { path, branch, entry } = worktree;
  const { place, repository } = await openRepository(worktree.repo, means);
  if (!isPlainDirectory(path) || (await realpath(path)) !== path) throw failure(worktree.repo, `${path} was replaced`);
  await mendLinks(repository.commonDir, entry, path);
  const changes = await changesIn({ ...place, gitDir: entry, workTree: path }, worktree, means);
  if (changes.commits > 0 || changes.changedFiles.length > 0) return changes;
  await writeGit(place, ['worktree', 'remove', '--force', '--force', path], means);
  await writeGit(place, ['update-ref', '-d', `refs/heads/${branch}`], means);
  await writeGit(place, ['update-ref', '-d', baseRef(branch)], means);
  return changes;
}

async function openRepository(repo: string, means: WorktreeMeans) {
  const repository = findRepository(repo);
  if ('problem' in repository) throw failure(repo, repository.problem);
  const { gitDir, commonDir, workTree } = repository;
  const { off, filters } = await programsOff({ gitDir, commonDir, workTree }, means);
  const place: GitPlace = { gitDir, commonDir, workTree, off };
  return { repository, place, filters };
}

interface Refs {
  /** The base commit of the branch; null until a checkout was complete. */
  readonly base: string | null;
  readonly tip: string | null;
}

async function refsOf(branch: string, place: GitPlace, means: WorktreeMeans): Promise<Refs> {
  const [baseName, tipName] = [baseRef(branch), `refs/heads/${branch}`];
  const listed = await readGit(place, ['for-each-ref', '--format=%(objectname) %(refname)', baseName, tipName], means);
  const refs = new Map(listed.split('\n').map((line) => [line.slice(line.indexOf(' ') + 1), line.split(' ', 1)[0]!]));
  return { base: refs.get(baseName) ?? null, tip: refs.get(tipName) ?? null };
}

/**
 * HEAD, detached or not. For a repository without a commit, creates an empty one as the base; its own HEAD stays
 * unborn.
 */
async function startingPoint(place: GitPlace, means: WorktreeMeans): Promise<string> {
  const head = await runGit(place, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], means);
  if (head.ok) return head.stdout.trim();
  // Written and not hard-coded: its id depends on the repository's hash function.
  const tree = await readGit(place, ['hash-object', '-t', 'tree', '-w', '/dev/null'], means);
  return (await readGit(place, ['commit-tree', tree.trim(), '-m', 'Begin empty'], means)).trim();
}

/** The entry of the worktree at this path, if both exist, on whatever branch the agent left it. */
function whole({ commonDir }: Repository, path: string): string | null {
  return isPlainDirectory(path) ? findEntry(commonDir, path) : null;
}

/** Moves the newest worktree of an earlier focus to this one's directory. Writes its entry first; a crash in between is repaired here. */
async function takeOver(spec: WorktreeSpec, path: string, { commonDir }: Repository): Promise<boolean> {
  if (isPlainDirectory(path)) return false;
  for (const directory of spec.earlier ?? []) {
    if (!isPlainDirectory(directory)) continue;
    const old = join(await realpath(directory), 'worktree');
    const entry = isPlainDirectory(old) ? (findEntry(commonDir, old) ?? findEntry(commonDir, path)) : null;
    if (entry === null) continue;
    await pointEntry(entry, path);
    await rename(old, path);
    return true;
  }
  return false;
}

function baseRef(branch: string): string {
  return `refs/animus/base/${branch.slice('animus/'.length)}`;
}

function failure(repo: string, detail: string): AnimusError {
  return new AnimusError('worktree.failed', { repo, detail });
}

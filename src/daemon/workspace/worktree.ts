/** The git worktree of a focus: made on a branch of its own, found again after a crash, removed when nothing came of it. */
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
   * `kept`: it was there already, with all that was changed in it; `taken_over`: so too, from an earlier focus; `from_branch`: anew,
   * what was not committed is gone.
   */
  readonly made: 'new' | 'kept' | 'taken_over' | 'from_branch';
  /** The repository itself has changes that are not committed, and so not in the worktree. */
  readonly repoIsDirty: boolean;
  /** Filters of the repository that were not run (`lfs`): files they keep elsewhere are there as git stores them. */
  readonly filters: readonly string[];
}

export type { WorktreeChanges } from './worktree-changes.ts';
export type WorktreeMeans = WriteMeans;

/** Makes the focus's worktree, or finds it. Errors: `worktree.failed`, naming the repository and what git said. */
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
  // Half made, or registered by a host that is gone: made anew.
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
  await writeGit(place, ['worktree', 'prune'], means);
  const start = (tip === null ? null : base) ?? (await startingPoint(place, means));
  const what = tip === null ? ['--no-track', '-b', branch, path, start] : [path, branch];
  // Forced twice: an entry for this very branch that a killed daemon left locked is ours.
  await writeGit(place, ['worktree', 'add', '--quiet', '-f', '-f', ...what], means);
  // Last, so that it proves the checkout whole.
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

/** Says what changed, and removes worktree and branch when nothing did. Errors: `worktree.failed`; then all of it stays. */
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
  /** Where the branch began; null until a checkout was whole. */
  readonly base: string | null;
  readonly tip: string | null;
}

async function refsOf(branch: string, place: GitPlace, means: WorktreeMeans): Promise<Refs> {
  const [baseName, tipName] = [baseRef(branch), `refs/heads/${branch}`];
  const listed = await readGit(place, ['for-each-ref', '--format=%(objectname) %(refname)', baseName, tipName], means);
  const refs = new Map(listed.split('\n').map((line) => [line.slice(line.indexOf(' ') + 1), line.split(' ', 1)[0]!]));
  return { base: refs.get(baseName) ?? null, tip: refs.get(tipName) ?? null };
}

/** HEAD, detached or not. A repository without a commit gets an empty one to begin at; its own HEAD stays unborn. */
async function startingPoint(place: GitPlace, means: WorktreeMeans): Promise<string> {
  const head = await runGit(place, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], means);
  if (head.ok) return head.stdout.trim();
  // Written, not assumed: its id depends on the repository's hash.
  const tree = await readGit(place, ['hash-object', '-t', 'tree', '-w', '/dev/null'], means);
  return (await readGit(place, ['commit-tree', tree.trim(), '-m', 'Begin empty'], means)).trim();
}

/** The entry of the worktree at this path, where both are there; on which branch the agent left it does not matter. */
function whole({ commonDir }: Repository, path: string): string | null {
  return isPlainDirectory(path) ? findEntry(commonDir, path) : null;
}

/** Moves the newest worktree of an earlier focus to this one's directory. Its entry is written first: a crash in between is made good here. */
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

/** The git worktree of a focus: made on a branch of its own, found again after a crash, removed when nothing came of it. */
import { existsSync } from 'node:fs';
import { readFile, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { type GitMeans, type GitResult, runGit } from './git.ts';

export interface WorktreeSpec {
  /** The operator's repository, bare or not; absolute. */
  readonly repo: string;
  /** The focus's directory; the worktree is `worktree` in it. */
  readonly directory: string;
  readonly branch: string;
}

export interface Worktree extends WorktreeSpec {
  /** Absolute real path. */
  readonly path: string;
  /** The commit the branch began at. */
  readonly base: string;
  /** `kept`: it was there already, with all that was changed in it; `from_branch`: anew, what was not committed is gone. */
  readonly made: 'new' | 'kept' | 'from_branch';
  /** The repository itself has changes that are not committed, and so not in the worktree. */
  readonly repoIsDirty: boolean;
}

/** What a focus left in its worktree. */
export interface WorktreeChanges {
  readonly branch: string;
  readonly commits: number;
  /** Relative to the root, against the base: committed, uncommitted and new ones; sorted, at most 1,000. */
  readonly changedFiles: readonly string[];
  readonly moreFiles: number;
}

export type WorktreeMeans = GitMeans & { readonly clock: Clock };

const MAX_FILES = 1000;
const LOCK_TRIES = 20;
/** Writes to one repository by several foci or daemons meet in its lock files. */
const LOCK_TROUBLE = /\.lock'?: File exists|unable to (create|lock)|could not lock|cannot lock ref/i;

/** Makes the focus's worktree, or finds it. Errors: `worktree.failed`, naming the repository and what git said. */
export async function openWorktree(spec: WorktreeSpec, means: WorktreeMeans): Promise<Worktree> {
  const { repo, branch } = spec;
  const { bare } = await checkRepo(repo, means);
  const path = join(spec.directory, 'worktree');
  const { base, tip } = await refsOf(branch, repo, means);
  if (base !== null && (await isWhole(path, means))) {
    await dropStaleLocks(repo, path);
    return { ...spec, path: await realpath(path), base, made: 'kept', repoIsDirty: false };
  }
  // Half made, or registered by a host that is gone: made anew.
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
  await write(repo, ['worktree', 'prune'], means);
  const start = base ?? (await startingPoint(repo, means));
  const what = tip === null ? ['--no-track', '-b', branch, path, start] : [path, branch];
  // Forced twice: an entry for this very branch that a killed daemon left locked is ours.
  await write(repo, ['worktree', 'add', '--quiet', '-f', '-f', ...what], means);
  // Last, so that it proves the checkout whole.
  await write(repo, ['update-ref', baseRef(branch), start], means);
  return {
    ...spec,
    path: await realpath(path),
    base: start,
    made: tip === null ? 'new' : 'from_branch',
    repoIsDirty: !bare && (await read(repo, ['status', '--porcelain', '-z'], means)) !== '',
  };
}

/** Says what changed, and removes worktree and branch when nothing did. Errors: `worktree.failed`; then all of it stays. */
export async function closeWorktree(worktree: Worktree, means: WorktreeMeans): Promise<WorktreeChanges> {
  const changes = await changesIn(worktree, means);
  if (changes.commits > 0 || changes.changedFiles.length > 0) return changes;
  const { repo, path, branch } = worktree;
  await write(repo, ['worktree', 'remove', '--force', '--force', path], means);
  await write(repo, ['update-ref', '-d', `refs/heads/${branch}`], means);
  await write(repo, ['update-ref', '-d', baseRef(branch)], means);
  return changes;
}

async function changesIn({ repo, path, base, branch }: Worktree, means: WorktreeMeans): Promise<WorktreeChanges> {
  await dropStaleLocks(repo, path);
  const tracked = await read(path, ['diff', '--name-only', '--no-ext-diff', '--no-renames', '-z', base, '--'], means);
  const untracked = await read(path, ['ls-files', '--others', '--exclude-standard', '-z'], means);
  // The agent may have left its branch, or deleted it: what HEAD has counts, and so does the branch, where it is. The
  // brackets make it a pattern, which may match nothing.
  const tips = ['HEAD', `--glob=refs/heads/${branch.slice(0, -1)}[${branch.slice(-1)}]`];
  const commits = await read(path, ['rev-list', '--count', ...tips, '--not', base], means);
  const files = [...new Set([...tracked.split('\0'), ...untracked.split('\0')])]
    .filter((name) => name !== '')
    .toSorted();
  return {
    branch,
    commits: Number(commits),
    changedFiles: files.slice(0, MAX_FILES),
    moreFiles: Math.max(0, files.length - MAX_FILES),
  };
}

async function checkRepo(repo: string, means: WorktreeMeans): Promise<{ readonly bare: boolean }> {
  if (!existsSync(repo)) throw failure(repo, 'it does not exist');
  const { ok, stdout, stderr } = await runGit(repo, ['rev-parse', '--is-bare-repository'], means);
  if (!ok) throw failure(repo, stderr || 'it is no git repository');
  return { bare: stdout.trim() === 'true' };
}

interface Refs {
  /** Where the branch began; null until a checkout was whole. */
  readonly base: string | null;
  readonly tip: string | null;
}

async function refsOf(branch: string, repo: string, means: WorktreeMeans): Promise<Refs> {
  const [baseName, tipName] = [baseRef(branch), `refs/heads/${branch}`];
  const listed = await read(repo, ['for-each-ref', '--format=%(objectname) %(refname)', baseName, tipName], means);
  const refs = new Map(listed.split('\n').map((line) => [line.slice(line.indexOf(' ') + 1), line.split(' ', 1)[0]!]));
  return { base: refs.get(baseName) ?? null, tip: refs.get(tipName) ?? null };
}

/** HEAD, detached or not. A repository without a commit gets an empty one to begin at; its own HEAD stays unborn. */
async function startingPoint(repo: string, means: WorktreeMeans): Promise<string> {
  const head = await runGit(repo, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], means);
  if (head.ok) return head.stdout.trim();
  // Written, not assumed: its id depends on the repository's hash.
  const tree = await read(repo, ['hash-object', '-t', 'tree', '-w', '/dev/null'], means);
  return (await read(repo, ['commit-tree', tree.trim(), '-m', 'Begin empty'], means)).trim();
}

/** A worktree that git knows, at this path and with this repository behind it; on which branch the agent left it does not matter. */
async function isWhole(path: string, means: WorktreeMeans): Promise<boolean> {
  if (!existsSync(join(path, '.git'))) return false;
  const { ok, stdout } = await runGit(path, ['rev-parse', '--show-toplevel'], means);
  return ok && stdout.trim() === (await realpath(path));
}

/** All processes of the focus are dead, so nobody holds these. The agent may have rewritten `.git`: nothing is removed elsewhere. */
async function dropStaleLocks(repo: string, path: string): Promise<void> {
  const pointer = await readFile(join(path, '.git'), 'utf8').catch(() => '');
  const directory = /^gitdir: (.*)$/m.exec(pointer)?.[1];
  const homes = [join(await realpath(repo), '.git', 'worktrees'), join(await realpath(repo), 'worktrees')];
  if (directory === undefined || !homes.includes(dirname(directory))) return;
  for (const name of ['index.lock', 'HEAD.lock']) await rm(join(directory, name), { force: true });
}

async function read(directory: string, args: readonly string[], means: WorktreeMeans): Promise<string> {
  const result = await runGit(directory, args, means);
  if (!result.ok) throw failure(directory, `git ${args[0]}: ${result.stderr}`);
  return result.stdout;
}

/** A command that takes the repository's locks: tried again while somebody else has them. */
async function write(repo: string, args: readonly string[], means: WorktreeMeans): Promise<void> {
  for (let tries = 1; ; tries++) {
    const result: GitResult = await inTurn(repo, () => runGit(repo, args, means));
    if (result.ok) return;
    if (tries >= LOCK_TRIES || !LOCK_TROUBLE.test(result.stderr)) {
      throw failure(repo, `git ${args.slice(0, 2).join(' ')}: ${result.stderr}`);
    }
    await means.clock.sleep(50 * Math.random() * tries, means.signal);
  }
}

/** The last write under way, by repository. */
const writes = new Map<string, Promise<unknown>>();

/**
 * Writes of this daemon to one repository, one after another: git 2.39 adding, removing and pruning worktrees at once fails in ways
 * that leave no lock file to name ("failed to read commondir", "could not open gitdir").
 */
async function inTurn<T>(repo: string, work: () => Promise<T>): Promise<T> {
  const mine = (writes.get(repo) ?? Promise.resolve()).then(work);
  const settled = mine.then(
    () => {},
    () => {},
  );
  writes.set(repo, settled);
  try {
    return await mine;
  } finally {
    if (writes.get(repo) === settled) writes.delete(repo);
  }
}

function baseRef(branch: string): string {
  return `refs/animus/base/${branch.slice('animus/'.length)}`;
}

function failure(repo: string, detail: string): AnimusError {
  return new AnimusError('worktree.failed', { repo, detail });
}

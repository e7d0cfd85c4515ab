/** A repository and a place for worktrees of it, for tests. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { UNLEASED } from '../../src/core/lifecycle/lease.ts';
import type { GitWriter } from '../../src/daemon/git/git.ts';
import { type ClosedWorktree, closeWorktree, removeWorktree } from '../../src/daemon/worktrees/close-worktree.ts';
import { openWorktree, planWorktree, type Worktree, type WorktreeSpec } from '../../src/daemon/worktrees/worktree.ts';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import type { RecordedWorktree } from '../../src/store/work/worktrees.ts';

/** A repository `repo` with one commit (`a.txt`, and `*.log` ignored), the directory of worktrees, and a process host to run git. */
export interface WorktreeSite {
  readonly root: string;
  readonly repo: string;
  /** A new item at each call. */
  readonly spec: (overrides?: Partial<WorktreeSpec>) => WorktreeSpec;
  readonly means: GitWriter;
}

/** Creates it in a directory of its own, which is removed when the test has finished. `name`: of the repository's directory. */
export async function setUpWorktree(overrides: Partial<GitWriter> = {}, name = 'repo'): Promise<WorktreeSite> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'animus-worktree-')));
  const processes = createProcessHost({ graceMs: 200 });
  onTestFinished(async () => {
    await processes.stop();
    rmSync(root, { recursive: true, force: true });
  });
  git(root, 'init', '-q', '-b', 'main', name);
  const repo = join(root, name);
  writeFileSync(join(repo, 'a.txt'), 'a\n');
  writeFileSync(join(repo, '.gitignore'), '*.log\n');
  git(repo, 'add', '.');
  commit(repo, 'first');
  const means: GitWriter = {
    processes,
    owner: 'work-1',
    isolation: 'none',
    fileRules: [],
    signal: new AbortController().signal,
    clock: systemClock,
    lease: UNLEASED,
    ...overrides,
  };
  const spec = (more: Partial<WorktreeSpec> = {}) => {
    const id = randomUUID();
    const author = { name: 'fixer via animus', email: 'animus@localhost' };
    return {
      repo,
      root: join(root, 'worktrees'),
      id,
      workItemId: id,
      recorded: null,
      author,
      submittedBy: 'olga',
      linked: [],
      ...more,
    };
  };
  return { root, repo, spec, means };
}

/** Opens the worktree that the item wants. */
export async function open(spec: WorktreeSpec, means: GitWriter): Promise<Worktree> {
  return openWorktree(await planWorktree(spec, means), means);
}

/** Ends the work in it, as at the end of a completed item with `commit = "none"`, unless told otherwise. */
export async function close(
  worktree: Worktree,
  means: GitWriter,
  { ended = true, commit = false }: { readonly ended?: boolean; readonly commit?: boolean } = {},
): Promise<ClosedWorktree> {
  const words = { author: worktree.spec.author, message: 'What was left\n' };
  const closed = await closeWorktree(worktree, { ended, commit, words }, means);
  if (closed.state === 'removed') await removeWorktree(worktree, closed, means);
  return closed;
}

/** What would be recorded of a worktree; of a closed one after `close`. */
export function recordOf(
  { path, base, names, origin, spec }: Worktree,
  place: string,
  closed: ClosedWorktree | null = null,
  overrides: Partial<RecordedWorktree> = {},
): RecordedWorktree {
  return {
    host: 'host',
    path,
    place,
    repo: origin.repository.commonDir,
    branch: closed?.branch ?? names.branch,
    base,
    state: closed?.state ?? 'open',
    handed: closed !== null,
    handedAt: closed === null ? null : new Date(),
    lastItem: spec.workItemId,
    own: closed && { tip: closed.tip, rest: closed.rest, ended: closed.state !== 'open' },
    before: null,
    ...overrides,
  };
}

/** Runs git as the operator would, without any user's configuration; throws if it fails. */
export function git(directory: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', ['-C', directory, ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** Commits the staged changes, or an empty commit. */
export function commit(directory: string, message: string): void {
  git(directory, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '--allow-empty', '-m', message);
}

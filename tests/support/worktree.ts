/** A repository and the directory of a focus, for tests of worktrees. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import type { WorktreeMeans, WorktreeSpec } from '../../src/daemon/workspace/worktree.ts';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';

/** A repository `repo` with one commit (`a.txt`, and `*.log` ignored), the directory of a focus, and a process host to run git. */
export interface WorktreeSite {
  readonly root: string;
  readonly repo: string;
  readonly spec: WorktreeSpec;
  readonly means: WorktreeMeans;
}

/** Creates it in a directory of its own, which is removed when the test has finished. */
export async function setUpWorktree(overrides: Partial<WorktreeMeans> = {}): Promise<WorktreeSite> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'animus-worktree-')));
  const processes = createProcessHost({ graceMs: 200 });
  onTestFinished(async () => {
    await processes.stop();
    rmSync(root, { recursive: true, force: true });
  });
  git(root, 'init', '-q', '-b', 'main', 'repo');
  const repo = join(root, 'repo');
  writeFileSync(join(repo, 'a.txt'), 'a\n');
  writeFileSync(join(repo, '.gitignore'), '*.log\n');
  git(repo, 'add', '.');
  commit(repo, 'first');
  const directory = join(root, 'focus');
  mkdirSync(directory);
  const means: WorktreeMeans = {
    processes,
    owner: 'work-1',
    isolation: 'none',
    fileRules: [],
    signal: new AbortController().signal,
    clock: systemClock,
    ...overrides,
  };
  return { root, repo, spec: { repo, directory, branch: 'animus/abc' }, means };
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

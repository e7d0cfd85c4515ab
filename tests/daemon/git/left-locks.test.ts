/** Promise: what a killed git or a git at work has in the operator's repository keeps no result from being handed over, and no lock of others is removed. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/core/lifecycle/clock.ts';
import { writeGit } from '../../../src/daemon/git/repository-writes.ts';
import { close, git, open, setUpWorktree } from '../../support/worktree.ts';

/** Twenty times as fast. */
const clock: Clock = {
  ...systemClock,
  nowMs: () => 20 * systemClock.nowMs(),
  monotonicMs: () => 20 * systemClock.monotonicMs(),
  sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
};

it('locks of the refs of an item are removed, whose git was killed with the daemon', async () => {
  const { spec, means, repo } = await setUpWorktree({ clock });
  const worktree = await open(spec(), means);
  const { branch, names, path } = worktree;
  git(path, 'commit', '-q', '--allow-empty', '-m', 'made');
  const locks = [`refs/heads/${branch}`, names.placed, `${names.handed}branch`].map((ref) => lockOf(repo, ref));
  expect(await close(worktree, means)).toMatchObject({ branch, changes: { commits: 1 } });
  expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
  expect(git(repo, 'log', '-1', '--format=%s', branch)).toBe('made');
  expect(git(repo, 'fsck', '--no-dangling')).not.toMatch(/error|missing/);
});

it('a lock of another ref stays, and git says what to do', async () => {
  const { spec, means, repo } = await setUpWorktree({ clock });
  const { origin, base } = await open(spec(), means);
  const lock = lockOf(repo, 'refs/heads/theirs');
  const writing = writeGit(origin.place, ['update-ref', 'refs/heads/theirs', base], means);
  await expect(writing).rejects.toThrow(/theirs\.lock': File exists[^]*remove the file manually/);
  expect(existsSync(lock)).toBe(true);
});

it('a lock that is taken again and again is waited for', async () => {
  const { spec, means, repo } = await setUpWorktree();
  const { origin, base, branch } = await open(spec(), means);
  const lock = lockOf(repo, `refs/heads/${branch}`);
  // Each time another file, as if several wrote there.
  let taken = 0;
  const sleep: Clock['sleep'] = async (ms, signal) => {
    lockOf(repo, `refs/heads/${branch}`, String(++taken));
    await clock.sleep(ms, signal);
  };
  const writing = writeGit(origin.place, ['update-ref', `refs/heads/${branch}`, base], {
    ...means,
    clock: { ...clock, sleep },
  });
  await expect(writing).rejects.toThrow('File exists');
  expect(taken).toBeGreaterThan(10);
  expect(existsSync(lock)).toBe(true);
});

it('a worktree that a person is adding is waited for', async () => {
  const { spec, means, repo } = await setUpWorktree();
  const worktree = await open(spec(), means);
  git(worktree.path, 'commit', '-q', '--allow-empty', '-m', 'made');
  // As `git worktree add` leaves it until it knows the commit.
  const adding = join(repo, '.git', 'worktrees', 'mine');
  mkdirSync(adding, { recursive: true });
  writeFileSync(join(adding, 'commondir'), '../..\n');
  writeFileSync(join(adding, 'gitdir'), `${repo}-mine/.git\n`);
  writeFileSync(join(adding, 'HEAD'), `${'0'.repeat(40)}\n`);
  let waited = 0;
  const sleep: Clock['sleep'] = (ms, signal) => {
    if (++waited === 3) writeFileSync(join(adding, 'HEAD'), `${worktree.base}\n`);
    return systemClock.sleep(ms, signal);
  };
  const closed = await close(worktree, { ...means, clock: { ...systemClock, sleep } });
  expect(closed).toMatchObject({ branch: worktree.branch, changes: { commits: 1 } });
  expect(waited).toBeGreaterThanOrEqual(3);
});

function lockOf(repo: string, ref: string, content = ''): string {
  const lock = join(repo, '.git', `${ref}.lock`);
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(lock, content);
  return lock;
}

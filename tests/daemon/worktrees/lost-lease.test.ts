/** Promise: a daemon that was frozen while it opened or removed a worktree touches nothing of the daemon that has taken the work over. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import type { Lease } from '../../../src/core/lifecycle/lease.ts';
import type { Worktree } from '../../../src/daemon/worktrees/worktree.ts';
import { close, git, open, recordOf, setUpWorktree } from '../../support/worktree.ts';

/** The lease is lost at the n-th time it is asked for; `meanwhile` is what happens during the freeze. */
function lostAt(n: number, meanwhile: () => Promise<void>): { readonly lease: Lease; readonly asked: () => number } {
  let asked = 0;
  const holds = () => ++asked < n;
  const sure = async () => {
    if (asked < n && ++asked < n) return;
    if (asked === n) await meanwhile();
    asked = Math.max(asked, n) + 1;
    throw new AnimusError('work.lease_lost', { held: 'a test' });
  };
  return { lease: { holds, sure }, asked: () => asked };
}

const placeOf = (root: string) => readFileSync(join(root, 'worktrees', '.place'), 'utf8').trim();

/** Works in the worktree as the next daemon does. */
function workIn({ path }: Worktree): void {
  writeFileSync(join(path, 'made.txt'), 'made\n');
  git(path, 'add', 'made.txt');
  writeFileSync(join(path, 'left.txt'), 'left\n');
  writeFileSync(join(path, '.git', 'index.lock'), '');
}

function expectUntouched({ path }: Worktree): void {
  expect(readFileSync(join(path, 'left.txt'), 'utf8')).toBe('left\n');
  expect(existsSync(join(path, '.git', 'index.lock'))).toBe(true);
  rmSync(join(path, '.git', 'index.lock'));
  expect(git(path, 'status', '--porcelain')).toBe('A  made.txt\n?? left.txt');
  expect(readdirSync(dirname(path)).filter((name) => /^\.(making|gone)-/.test(name))).toEqual([]);
}

test.each<[string, (worktree: Worktree) => Promise<unknown>]>([
  ['a new one', async () => {}],
  ['one that was removed', async (worktree: Worktree) => rmSync(worktree.path, { recursive: true })],
  ['one that is kept', async () => {}],
  ['one whose .git is damaged', async (worktree: Worktree) => rmSync(join(worktree.path, '.git', 'HEAD'))],
])('opening %s', { timeout: 180_000 }, async (what, prepare) => {
  const { root, spec: specOf, means } = await setUpWorktree();
  let lost = 0;
  for (let n = 1, over = false; !over; n++) {
    let spec = specOf();
    if (what !== 'a new one') {
      const before = await open(spec, means);
      const closed = await close(before, means, { ended: false });
      await prepare(before);
      spec = { ...spec, recorded: recordOf(before, placeOf(root), closed) };
    }
    let next: Worktree | null = null;
    const { lease } = lostAt(n, async () => {
      next = await open(spec, means);
      workIn(next);
    });
    const opened = await open(spec, { ...means, lease }).catch((error: unknown) => error);
    over = next === null;
    if (next === null) continue;
    lost += 1;
    expect(opened).toMatchObject({ code: 'work.lease_lost' });
    expectUntouched(next);
  }
  expect(lost).toBeGreaterThan(5);
});

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { guardRepository } from '../../src/daemon/workspace/repository-guard.ts';
import { eventually } from '../support/eventually.ts';
import { setUpWorktree } from '../support/worktree.ts';

test('a file that would make git use another configuration is removed from a repository as soon as it appears', async () => {
  const { repo } = await setUpWorktree();
  const file = join(repo, '.git', 'commondir');
  let forged = 0;
  const guard = guardRepository(join(repo, '.git'), () => (forged += 1));
  onTestFinished(() => guard.close());
  writeFileSync(file, '/tmp/evil');
  await eventually('it is gone', () => (existsSync(file) ? null : true));
  expect(forged).toBeGreaterThan(0);
  guard.close();
  writeFileSync(file, '/tmp/evil');
  guard.close();
  expect(existsSync(file)).toBe(false);
});

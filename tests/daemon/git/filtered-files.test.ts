import { execFileSync } from 'node:child_process';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filteredPaths } from '../../../src/daemon/git/filtered-files.ts';
import { git, setUpWorktree } from '../../support/worktree.ts';

it('a file under a filter whose size git has not recorded is as it was checked out if its time is', async () => {
  const { repo, means } = await setUpWorktree();
  writeFileSync(join(repo, '.gitattributes'), '*.bin filter=lfs\n');
  writeFileSync(join(repo, 'x.bin'), 'whole content');
  const pointer = execFileSync('git', ['-C', repo, 'hash-object', '-w', '--stdin'], { input: 'pointer' });
  // Recorded without a size and at the time 0.
  git(repo, 'update-index', '--add', '--cacheinfo', `100644,${pointer.toString().trim()},x.bin`);
  const gitDir = join(repo, '.git');
  const place = { gitDir, commonDir: gitDir, workTree: repo, off: [] };
  utimesSync(join(repo, 'x.bin'), 0, 0);
  expect(await filteredPaths(place, ['x.bin', 'a.txt'], means)).toEqual({ all: new Set(['x.bin']), changed: [] });
  utimesSync(join(repo, 'x.bin'), 1, 1);
  expect(await filteredPaths(place, ['x.bin'], means)).toMatchObject({ changed: ['x.bin'] });
});

import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeWorktree, openWorktree } from '../../src/daemon/workspace/worktree.ts';
import { git, setUpWorktree } from '../support/worktree.ts';

// Uses only write_file: an agent without bash must not be able to run commands with the daemon's keys.
test('a .git that an agent writes has no effect: no program of its configuration runs, and it is restored', {
  timeout: 120_000,
}, async () => {
  const { spec, means, repo, root } = await setUpWorktree();
  const worktree = await openWorktree(spec, means);
  const honest = readFileSync(join(worktree.path, '.git'), 'utf8');
  const trap = join(root, 'trap.sh');
  writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${root}/sprung\n`, { mode: 0o755 });

  // The agent's own repository inside its worktree. It lacks objects, and names a remote to fetch them from.
  const forged = join(worktree.path, 'forged');
  cpSync(join(repo, '.git'), forged, { recursive: true });
  rmSync(join(forged, 'objects'), { recursive: true });
  writeFileSync(join(forged, 'objects'), '');
  rmSync(join(forged, 'objects'));
  git(root, 'init', '-q', '--bare', 'empty.git');
  cpSync(join(root, 'empty.git', 'objects'), join(forged, 'objects'), { recursive: true });
  for (const [key, value] of [
    ['core.bare', 'false'],
    ['core.repositoryformatversion', '1'],
    ['extensions.partialClone', 'o'],
    ['remote.o.url', join(root, 'empty.git')],
    ['remote.o.promisor', 'true'],
    ['remote.o.uploadpack', trap],
    ['core.fsmonitor', trap],
    ['core.sshCommand', trap],
    ['diff.external', trap],
  ] as const) {
    git(root, '--git-dir', forged, 'config', key, value);
  }
  writeFileSync(join(worktree.path, '.git'), `gitdir: ${forged}\n`);
  writeFileSync(join(worktree.path, 'a.txt'), 'changed\n');

  const again = await openWorktree(spec, means);
  expect(again).toMatchObject({ made: 'kept', path: worktree.path });
  writeFileSync(join(worktree.path, '.git'), `gitdir: ${forged}\n`);
  const changes = await closeWorktree(again, means);
  expect(changes.changedFiles).toContain('a.txt');
  expect(existsSync(join(root, 'sprung'))).toBe(false);
  expect(readFileSync(join(worktree.path, '.git'), 'utf8')).toBe(honest);
});

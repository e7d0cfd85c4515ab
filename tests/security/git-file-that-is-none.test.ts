import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeWorktree, openWorktree } from '../../src/daemon/workspace/worktree.ts';
import { setUpWorktree } from '../support/worktree.ts';

test.each([
  ['a named pipe', (path: string) => void execFileSync('mkfifo', [path])],
  ['a link to /dev/zero', (path: string) => symlinkSync('/dev/zero', path)],
  ['a link to a file of the host', (path: string) => symlinkSync('/etc/hostname', path)],
  ['a directory', (path: string) => mkdirSync(join(path, 'deep'), { recursive: true })],
  ['gone', () => {}],
])(
  'a .git that is %s blocks no thread and is not read: the worktree is found, and its .git made again',
  { timeout: 60_000 },
  async (_, plant) => {
    const { spec, means } = await setUpWorktree();
    const { path } = await openWorktree(spec, means);
    writeFileSync(join(path, 'a.txt'), 'changed\n');
    const replace = () => {
      rmSync(join(path, '.git'), { recursive: true });
      plant(join(path, '.git'));
    };
    replace();
    const again = await openWorktree(spec, means);
    expect(again.made).toBe('kept');
    replace();
    expect(await closeWorktree(again, means)).toMatchObject({ changedFiles: ['a.txt'] });
    expect(lstatSync(join(path, '.git')).isFile()).toBe(true);
  },
);

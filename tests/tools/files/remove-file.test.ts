/** Promise: remove_file removes exactly one file of the workspace, never what a link leads to, and never what a rule protects. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileRule } from '../../../src/process/file-rules.ts';
import { removeFileTool } from '../../../src/tools/files/remove-file.ts';
import { setUpBench } from '../tool-context.ts';

test('removes a file, and says what it removed', async () => {
  const { call, workspace } = await setUpBench();
  await mkdir(join(workspace, 'a'));
  await writeFile(join(workspace, 'a/b.txt'), 'héllo');
  expect(await call(removeFileTool, { path: 'a/b.txt' })).toMatchObject({
    content: 'Removed a/b.txt',
    details: { path: 'a/b.txt', bytes: 6 },
  });
  expect(await readdir(join(workspace, 'a'))).toEqual([]);
  expect(await call(removeFileTool, { path: 'a/b.txt' })).toMatchObject({ isError: true });
});

test('removes a link and keeps its target, also outside and where it is missing', async () => {
  const { call, workspace } = await setUpBench();
  const outside = join(workspace, '..', 'outside.txt');
  await writeFile(outside, 'keep');
  await writeFile(join(workspace, 'target'), 'keep');
  for (const target of ['target', outside, 'nowhere']) {
    await symlink(target, join(workspace, 'link'));
    expect(await call(removeFileTool, { path: 'link' })).toMatchObject({ content: 'Removed link' });
  }
  expect(await readFile(join(workspace, 'target'), 'utf8')).toBe('keep');
  expect(await readFile(outside, 'utf8')).toBe('keep');
});

test('removes through a link of a directory that stays inside', async () => {
  const { call, workspace } = await setUpBench();
  await mkdir(join(workspace, 'real'));
  await writeFile(join(workspace, 'real/file'), 'x');
  await symlink('real', join(workspace, 'dir'));
  expect(await call(removeFileTool, { path: 'dir/file' })).toMatchObject({ content: 'Removed real/file' });
});

test.each([
  '.',
  '..',
  'dir',
  'dir/',
  'dir/..',
  '../outside.txt',
  '/etc/passwd',
  'out/secret',
  'gone/file',
  'x\0y',
  'pipe',
])('refuses %j', async (path) => {
  const { call, workspace } = await setUpBench();
  await mkdir(join(workspace, 'dir'));
  await writeFile(join(workspace, 'dir/file'), 'x');
  const outside = join(workspace, '..', `away-${path.length}`);
  await mkdir(outside, { recursive: true });
  await writeFile(join(outside, 'secret'), 'x');
  await writeFile(join(workspace, '..', 'outside.txt'), 'x');
  await symlink(outside, join(workspace, 'out'));
  execFileSync('mkfifo', [join(workspace, 'pipe')]);
  expect(await call(removeFileTool, { path })).toMatchObject({ isError: true });
  for (const kept of ['dir/file', '../outside.txt', 'out/secret', 'pipe'])
    expect(existsSync(join(workspace, kept))).toBe(true);
});

test('refuses what rules hide or protect', async () => {
  for (const [name, access] of [
    ['key', 'hidden'],
    ['loaded.toml', 'read'],
  ] as const) {
    const fileRules: FileRule[] = [];
    const { call, workspace } = await setUpBench({ fileRules });
    const path = join(workspace, name);
    fileRules.push({ path, access });
    await writeFile(path, 'x');
    const output = await call(removeFileTool, { path: name });
    expect(output).toMatchObject({
      isError: true,
      details: { boundary: access === 'hidden' ? 'secret' : 'read_only' },
    });
    expect(existsSync(path)).toBe(true);
  }
});

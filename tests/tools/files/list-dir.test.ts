import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listDirTool } from '../../../src/tools/files/list-dir.ts';
import { setUpBench } from '../tool-context.ts';

test('shows kinds, sizes and targets of links, sorted', async () => {
  const { call, workspace } = await setUpBench();
  await mkdir(join(workspace, 'src'));
  await writeFile(join(workspace, '.hidden'), '12345');
  await writeFile(join(workspace, 'a b'), '');
  await writeFile(join(workspace, 'new\nline'), '');
  await symlink('/etc', join(workspace, 'etc'));
  execFileSync('mkfifo', [join(workspace, 'pipe')]);
  const { content } = await call(listDirTool, {});
  expect(content).toBe('.hidden\t5\na b\t0\netc -> /etc\n"new\\nline"\t0\npipe\t[named pipe]\nsrc/');
  expect((await call(listDirTool, { path: 'src' })).content).toBe('[src is empty]');
});

test('limits the list and reports the number of entries', async () => {
  const { call, workspace } = await setUpBench();
  for (let i = 0; i < 1200; i++) await writeFile(join(workspace, `f${String(i).padStart(4, '0')}`), '');
  const lines = (await call(listDirTool, {})).content.split('\n');
  expect(lines).toHaveLength(1001);
  expect(lines[0]).toBe('f0000\t0');
  expect(lines.at(-1)).toContain('the first 1000 of 1200');
});

test.each([
  ['..', 'outside'],
  ['/', 'outside'],
  ['etc', 'outside'],
  ['file', 'is a file, not a directory'],
  ['missing', 'no such file'],
])('refuses %s', async (path, words) => {
  const { call, workspace } = await setUpBench();
  await symlink('/etc', join(workspace, 'etc'));
  await writeFile(join(workspace, 'file'), '');
  const output = await call(listDirTool, { path });
  expect(output.isError).toBe(true);
  expect(output.content).toContain(words);
});

import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FileRule } from '../../../src/process/file-rules.ts';
import { inTurn } from '../../../src/tools/files/file-turns.ts';
import { readFileTool } from '../../../src/tools/files/read-file.ts';
import { writeFileTool } from '../../../src/tools/files/write-file.ts';
import { setUpBench } from '../tool-context.ts';

test('creates a file and its parents, and leaves nothing else', async () => {
  const { call, workspace } = await setUpBench();
  const output = await call(writeFileTool, { path: 'a/b/c.txt', content: 'héllo\n' });
  expect(output).toMatchObject({ content: 'Created a/b/c.txt (7 bytes)', details: { created: true } });
  expect(await readFile(join(workspace, 'a/b/c.txt'), 'utf8')).toBe('héllo\n');
  expect(await readdir(join(workspace, 'a/b'))).toEqual(['c.txt']);
});

test('replaces a file atomically, keeping its mode and other names of the old content', async () => {
  const { call, workspace } = await setUpBench();
  const file = join(workspace, 'run.sh');
  await writeFile(file, 'old');
  // The set-uid bit belonged to the old content.
  await chmod(file, 0o4751);
  const output = await call(writeFileTool, { path: 'run.sh', content: '', overwrite: true });
  expect(output.content).toBe('Replaced run.sh (0 bytes)');
  expect((await stat(file)).mode & 0o7777).toBe(0o751);
  expect(await readFile(file, 'utf8')).toBe('');
});

test('writes through a link that stays inside, and keeps the link', async () => {
  const { call, callIn, workspace } = await setUpBench();
  await mkdir(join(workspace, 'real'));
  await writeFile(join(workspace, 'real/file'), 'old');
  await symlink('real/file', join(workspace, 'link'));
  await symlink('real', join(workspace, 'dir'));
  await call(readFileTool, { path: 'real/file' });
  await callIn(2, writeFileTool, { path: 'link', content: 'new' });
  await call(writeFileTool, { path: 'dir/deep/other', content: 'x' });
  expect(await readFile(join(workspace, 'real/file'), 'utf8')).toBe('new');
  expect(await readFile(join(workspace, 'link'), 'utf8')).toBe('new');
  expect(await readFile(join(workspace, 'real/deep/other'), 'utf8')).toBe('x');
});

test.each([
  ['../x', 'outside'],
  ['out/x', 'outside'],
  ['out/new/x', 'outside'],
  ['out-dangling', 'whose target does not exist'],
  ['dir', 'is a directory'],
  ['dir/', 'names a directory'],
  ['pipe', 'named pipe'],
  ['file/below', 'is a file, not a directory'],
  ['.', 'is a directory'],
])('refuses to write %s and touches nothing', async (path, words) => {
  const { call, workspace, outside } = await setUpBench();
  await mkdir(join(workspace, 'dir'));
  await writeFile(join(workspace, 'file'), '');
  await symlink(outside, join(workspace, 'out'));
  await symlink(join(outside, 'not-there'), join(workspace, 'out-dangling'));
  execFileSync('mkfifo', [join(workspace, 'pipe')]);
  const output = await call(writeFileTool, { path, content: 'x' });
  expect(output.isError).toBe(true);
  expect(output.content).toContain(words);
  expect(await readdir(outside)).toEqual([]);
  expect((await readdir(workspace)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('parallel writes of one file leave one of the contents complete', async () => {
  const { call, workspace } = await setUpBench();
  const contents = Array.from({ length: 20 }, (_, i) => `${i}`.repeat(100_000));
  const outputs = await Promise.all(contents.map((content) => call(writeFileTool, { path: 'd/f', content })));
  expect(outputs.filter(({ isError }) => isError)).toEqual([]);
  expect(contents).toContain(await readFile(join(workspace, 'd/f'), 'utf8'));
  expect(await readdir(join(workspace, 'd'))).toEqual(['f']);
});

test('refuses a file whose directory has become a file while it waited for its turn', async () => {
  const { call, workspace } = await setUpBench();
  await mkdir(join(workspace, 'd'));
  const begin = Promise.withResolvers<void>();
  const earlier = inTurn(join(workspace, 'd/f'), () => begin.promise);
  const writing = call(writeFileTool, { path: 'd/f', content: 'x' });
  // The call waits for its turn by then.
  await sleep(100);
  await rmdir(join(workspace, 'd'));
  await writeFile(join(workspace, 'd'), '');
  begin.resolve();
  await earlier;
  expect(await writing).toMatchObject({ isError: true, content: expect.stringContaining('not a directory') });
});

test('refuses half of a surrogate pair', async () => {
  const { call } = await setUpBench();
  expect(await call(writeFileTool, { path: 'f', content: 'a\ud800' })).toMatchObject({ isError: true });
});

test('makes no directories in one that is read-only', async () => {
  const fileRules: FileRule[] = [];
  const { call, workspace } = await setUpBench({ fileRules });
  await mkdir(join(workspace, 'loaded'));
  fileRules.push({ path: join(workspace, 'loaded'), access: 'read' });
  const output = await call(writeFileTool, { path: 'loaded/a/b.txt', content: 'x' });
  expect(output).toMatchObject({ isError: true, content: expect.stringContaining('is read-only for agents') });
  expect(await readdir(join(workspace, 'loaded'))).toEqual([]);
});

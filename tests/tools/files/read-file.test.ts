import { execFileSync } from 'node:child_process';
import { mkdir, rmdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileTool } from '../../../src/tools/files/read-file.ts';
import { setUpBench } from '../tool-context.ts';

test('shows numbered lines, and how to read the rest', async () => {
  const { call, workspace } = await setUpBench();
  await writeFile(join(workspace, 'a.txt'), 'one\nzwei\n三\nfour\n');
  expect((await call(readFileTool, { path: 'a.txt' })).content).toBe('1\tone\n2\tzwei\n3\t三\n4\tfour');
  const part = await call(readFileTool, { path: join(workspace, 'a.txt'), offset: 2, limit: 2 });
  expect(part.content).toBe('2\tzwei\n3\t三\n[lines 2 to 3 of 4; continue with offset=4]');
  expect(part.details).toMatchObject({ first: 2, last: 3, lines: 4 });
});

test('reports an empty file, a missing last newline, CRLF and an offset beyond the end', async () => {
  const { call, workspace } = await setUpBench();
  await writeFile(join(workspace, 'empty'), '');
  await writeFile(join(workspace, 'dos'), 'a\r\nb');
  expect(await call(readFileTool, { path: 'empty' })).toMatchObject({ content: '[empty is empty]' });
  expect((await call(readFileTool, { path: 'dos' })).content).toBe(
    '1\ta\n2\tb\n[no newline at the end of the file]\n[lines end in CRLF]',
  );
  expect(await call(readFileTool, { path: 'dos', offset: 3 })).toMatchObject({
    isError: true,
    content: expect.stringContaining('has 2 lines'),
  });
});

test('limits its output to 64 KiB, and following its advice returns every line once', async () => {
  const { call, workspace } = await setUpBench();
  const lines = Array.from({ length: 5000 }, (_, i) => `line ${i + 1} ${'x'.repeat(60)}`);
  await writeFile(join(workspace, 'long'), `${lines.join('\n')}\n`);
  const seen: string[] = [];
  for (let offset: number | null = 1; offset !== null; ) {
    const { content } = await call(readFileTool, { path: 'long', offset, limit: 100_000 });
    expect(content.length).toBeLessThan(66_000);
    seen.push(...content.split('\n').filter((line) => !line.startsWith('[')));
    const next = /continue with offset=(\d+)/.exec(content)?.[1];
    offset = next === undefined ? null : Number(next);
  }
  expect(seen).toEqual(lines.map((line, i) => `${i + 1}\t${line}`));
});

test('cuts a very long line without splitting a character', async () => {
  const { call, workspace } = await setUpBench();
  await writeFile(join(workspace, 'line'), `x${'😀'.repeat(100_000)}`);
  const { content } = await call(readFileTool, { path: 'line' });
  expect(content.length).toBeLessThan(5000);
  expect(content).toContain('more characters');
});

test.each([
  ['../outside.txt', 'is outside the workspace'],
  ['/etc/passwd', 'is outside the workspace'],
  ['link-to-etc/passwd', 'is outside the workspace'],
  ['link-to-passwd', 'is outside the workspace'],
  ['in/../../outside.txt', 'is outside the workspace'],
  ['dangling', 'whose target does not exist'],
  ['circle', 'symbolic link'],
  ['missing', 'no such file'],
  ['plain/below', 'is a file, not a directory'],
  ['a\0b', 'NUL'],
  ['.', 'is a directory'],
  ['pipe', 'named pipe'],
  ['binary', 'is binary (a NUL byte at 4)'],
  ['utf16', 'iconv -f UTF-16LE'],
  ['huge', 'too large (11.0 MiB'],
  ['x'.repeat(300), 'too long'],
])('refuses %s with advice', async (path, words) => {
  const { call, workspace } = await setUpBench();
  await mkdir(join(workspace, 'in'));
  await symlink('/etc', join(workspace, 'link-to-etc'));
  await symlink('/etc/passwd', join(workspace, 'link-to-passwd'));
  await symlink('nowhere', join(workspace, 'dangling'));
  await symlink('circle', join(workspace, 'circle'));
  await writeFile(join(workspace, 'plain'), 'x');
  await writeFile(join(workspace, 'binary'), 'ELF\n\0\0');
  await writeFile(join(workspace, 'utf16'), Buffer.from('\uFEFFhi', 'utf16le'));
  await writeFile(join(workspace, 'huge'), '');
  await truncate(join(workspace, 'huge'), 11 * 1024 * 1024);
  execFileSync('mkfifo', [join(workspace, 'pipe')]);
  const output = await call(readFileTool, { path });
  expect(output.isError).toBe(true);
  expect(output.content).toContain(words);
});

test('follows links that stay inside', async () => {
  const { call, workspace } = await setUpBench();
  await writeFile(join(workspace, 'real'), 'x\n');
  await symlink('real', join(workspace, 'link'));
  expect((await call(readFileTool, { path: 'link' })).content).toBe('1\tx');
});

test('a workspace that was replaced by a link to elsewhere contains nothing any more', async () => {
  const { call, workspace, outside } = await setUpBench();
  await writeFile(join(outside, 'secret'), 'x');
  await rmdir(workspace);
  await symlink(outside, workspace);
  expect(await call(readFileTool, { path: 'secret' })).toMatchObject({
    isError: true,
    content: expect.stringContaining('outside'),
  });
});

test('a sibling whose name begins like the workspace is outside', async () => {
  const { call, workspace } = await setUpBench();
  await mkdir(`${workspace}-evil`);
  await writeFile(`${workspace}-evil/secret`, 'x');
  expect((await call(readFileTool, { path: `${workspace}-evil/secret` })).content).toContain('outside');
});

test('marks bytes that are not UTF-8 and says so', async () => {
  const { call, workspace } = await setUpBench();
  await writeFile(join(workspace, 'latin1'), Buffer.from('caf\xe9\n', 'latin1'));
  const { content, isError } = await call(readFileTool, { path: 'latin1' });
  expect(isError).toBeUndefined();
  expect(content).toContain('1\tcaf\uFFFD');
  expect(content).toContain('not valid UTF-8');
});

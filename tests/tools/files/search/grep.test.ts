import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { grepTool } from '../../../../src/tools/files/search/grep.ts';
import { setUpBench } from '../../tool-context.ts';

test('finds lines by path and number, in text files of the workspace only', async () => {
  const { call, workspace, outside } = await setUpBench();
  await mkdir(join(workspace, 'src'));
  await mkdir(join(workspace, 'node_modules'));
  await writeFile(join(workspace, 'a.md'), 'Größe\nnothing\r\nDie Größe\r\n');
  await writeFile(join(workspace, 'src/b.ts'), 'const größe = 1;');
  await writeFile(join(workspace, 'node_modules/x'), 'Größe');
  await writeFile(join(workspace, 'binary'), 'Größe\0');
  await writeFile(join(outside, 'secret'), 'Größe');
  await symlink(outside, join(workspace, 'door'));
  const skipped = '[not searched (binary, too large or unreadable): binary]';
  expect((await call(grepTool, { pattern: 'Größe$' })).content).toBe(`a.md:1:Größe\na.md:3:Die Größe\n${skipped}`);
  expect((await call(grepTool, { pattern: 'GRÖSSE|GRÖßE', ignore_case: true, glob: '*.ts' })).content).toBe(
    'src/b.ts:1:const größe = 1;',
  );
  expect((await call(grepTool, { pattern: '^', path: 'a.md', limit: 1 })).content).toMatch(
    /^a.md:1:Größe\n\[only the first 1 matches/,
  );
  expect((await call(grepTool, { pattern: 'zzz', path: 'src' })).content).toBe('[no line of 1 files matches zzz]');
});

test.each([
  [{ pattern: '(' }, 'not a valid regular expression'],
  [{ pattern: 'x', path: '/etc' }, 'outside'],
  [{ pattern: 'x', path: 'missing' }, 'no such file'],
  [{ pattern: 'x', glob: '{a,b}'.repeat(30) }, 'alternatives'],
])('refuses %j', async (input, words) => {
  const { call } = await setUpBench();
  expect(await call(grepTool, input)).toMatchObject({ isError: true, content: expect.stringContaining(words) });
});

test('a pattern that backtracks for years is stopped in time, while the daemon continues', async () => {
  const { call, workspace } = await setUpBench({ timeoutMs: 4000 });
  await writeFile(join(workspace, 'a'), 'a'.repeat(60));
  let ticks = 0;
  const timer = setInterval(() => ticks++, 20);
  const stalled = await call(grepTool, { pattern: '^(a|a)+b' });
  clearInterval(timer);
  expect(stalled).toMatchObject({ isError: true, content: expect.stringContaining('within 2 s') });
  expect(ticks).toBeGreaterThan(10);
});

test('shows a long line around its match', async () => {
  const { call, workspace } = await setUpBench();
  await writeFile(join(workspace, 'min.js'), `${'x'.repeat(100_000)}needle${'😀'.repeat(100_000)}`);
  const { content } = await call(grepTool, { pattern: 'needle' });
  expect(content).toContain('needle');
  expect(content.length).toBeLessThan(400);
});

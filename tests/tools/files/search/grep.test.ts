import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { grepTool } from '../../../../src/tools/files/search/grep.ts';
import { setUpBench } from '../../tool-context.ts';

/** A workspace with these files. */
async function benchWith(files: Readonly<Record<string, string | Buffer>>) {
  const bench = await setUpBench();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(bench.workspace, name)), { recursive: true });
    await writeFile(join(bench.workspace, name), content);
  }
  const grep = async (input: object) => (await bench.call(grepTool, input)).content;
  return { ...bench, grep };
}

test('finds lines by path and number, in text files of the workspace only', async () => {
  const { grep, workspace, outside } = await benchWith({
    'a.md': 'Größe\nnothing\r\nDie Größe\r\n',
    'src/b.ts': 'const größe = 1;',
    binary: 'Größe\0',
    '.git/config': 'Größe',
    '.hidden/x': '\uFEFFGröße',
    utf16: Buffer.from('\uFEFFGröße', 'utf16le'),
    latin: Buffer.from('gr\xfcn Gr', 'latin1'),
    'odd\nname': 'Größe\n',
  });
  await writeFile(join(outside, 'secret'), 'Größe');
  await symlink(outside, join(workspace, 'door'));
  expect(await grep({ pattern: 'Größe$' })).toBe(
    '"odd\\nname":1:Größe\n.hidden/x:1:Größe\na.md:1:Größe\na.md:3:Die Größe\nutf16:1:Größe\n' +
      '[binary files match, whose lines are not shown: binary]',
  );
  expect(await grep({ pattern: 'GRÖSSE|GRÖßE', ignore_case: true, glob: '*.ts' })).toBe('src/b.ts:1:const größe = 1;');
  expect(await grep({ pattern: 'n Gr$' })).toBe('latin:1:gr\uFFFDn Gr');
  expect(await grep({ pattern: 'zzz', path: 'src' })).toBe('[no line of 1 files matches zzz]');
  expect(await grep({ pattern: 'größe', path: 'src/b.ts' })).toBe('src/b.ts:1:const größe = 1;');
});

test('shows lines around matches, once each, and the separate places apart', async () => {
  const { grep, call } = await benchWith({ a: '1\n2\nx3\n4\nx5\n6\n7\n8\nx9\n', b: '1\nx2\n' });
  expect(await grep({ pattern: 'x', before: 1, after: 1 })).toBe(
    'a-2-2\na:3:x3\na-4-4\na:5:x5\na-6-6\n--\na-8-8\na:9:x9\n--\nb-1-1\nb:2:x2',
  );
  expect(await grep({ pattern: 'x', before: 1, limit: 1, offset: 1 })).toBe(
    'a-4-4\na:5:x5\n[matching lines 2 to 2; for more, set offset = 2, or narrow path, glob or pattern]',
  );
  const { data } = await call(grepTool, { pattern: 'x9', before: 1 });
  expect(data?.()).toEqual({
    matches: [
      { path: 'a', line: 8, text: '8', context: true },
      { path: 'a', line: 9, text: 'x9' },
    ],
    files: 2,
    more: false,
  });
});

test('lists files or counts, in pages', async () => {
  const { grep, call } = await benchWith({ a: 'x\nx\n', b: 'x\n', c: 'x\nx\nx x\n', d: 'y' });
  expect(await grep({ pattern: 'x', output: 'files' })).toBe('a\nb\nc');
  expect(await grep({ pattern: 'x', output: 'counts' })).toBe('a:2\nb:1\nc:3');
  expect(await grep({ pattern: 'x', output: 'files', offset: 1, limit: 1 })).toBe(
    'b\n[files with matches 2 to 2; for more, set offset = 2, or narrow path, glob or pattern]',
  );
  expect(await grep({ pattern: 'x', output: 'files', offset: 3 })).toBe('[there are only 3 files with matches]');
  expect((await call(grepTool, { pattern: 'x', output: 'counts' })).data?.()).toMatchObject({
    counts: [
      { path: 'a', lines: 2 },
      { path: 'b', lines: 1 },
      { path: 'c', lines: 3 },
    ],
  });
});

test('a pattern of several lines, look-around, backreferences, types', async () => {
  const { grep } = await benchWith({ 'a.ts': 'function f(\n  x,\n) {}\nabcabc\n', 'b.py': 'abcabc\n' });
  expect(await grep({ pattern: 'f\\([^)]*x', multiline: true })).toBe('a.ts:1:function f(\na.ts:2:  x,');
  expect(await grep({ pattern: 'x,\\n\\)' })).toBe('a.ts:2:  x,\na.ts:3:) {}');
  expect(await grep({ pattern: '(abc)\\1', type: 'py' })).toBe('b.py:1:abcabc');
  expect(await grep({ pattern: 'abc(?=abc)', type: 'ts' })).toBe('a.ts:4:abcabc');
  expect(await grep({ pattern: 'abc', type: 'ts', glob: '*.py' })).toBe('[no line of 1 files matches abc]');
});

test.each([
  [{ pattern: '(' }, 'the pattern is not a valid regular expression: missing closing parenthesis'],
  [{ pattern: 'x', type: 'nope' }, 'unrecognized file type: nope'],
  [{ pattern: 'x', path: '/etc' }, 'outside'],
  [{ pattern: 'x', path: 'missing' }, 'no such file'],
  [{ pattern: 'x', glob: '{a,b}'.repeat(30) }, 'alternatives'],
])('refuses %j', async (input, words) => {
  const { call } = await setUpBench();
  expect(await call(grepTool, input)).toMatchObject({ isError: true, content: expect.stringContaining(words) });
});

test('more matches than are wanted are the first by path, the same each time', async () => {
  const files: Record<string, string> = {};
  for (let n = 0; n < 60; n++) files[`${String(n).padStart(2, '0')}.txt`] = 'x\n'.repeat(100);
  const { grep } = await benchWith(files);
  const expected =
    '00.txt:100:x\n[matching lines 100 to 100; for more, set offset = 100, or narrow path, glob or pattern]';
  expect(await grep({ pattern: 'x', offset: 99, limit: 1 })).toBe(expected);
  expect(await grep({ pattern: 'x', offset: 99, limit: 1 })).toBe(expected);
  expect(await grep({ pattern: 'x', offset: 5999 })).toBe('59.txt:100:x');
});

test('endless backtracking ends, and the daemon goes on meanwhile', async () => {
  const { call, workspace } = await setUpBench({ timeoutMs: 4000 });
  await writeFile(join(workspace, 'a'), 'a'.repeat(60));
  expect((await call(grepTool, { pattern: '^(a|a)+b' })).content).toBe('[no line of 1 files matches ^(a|a)+b]');
  const startedAt = performance.now();
  await call(grepTool, { pattern: '^(?=a)(a|a)+\\b\\B' });
  expect(performance.now() - startedAt).toBeLessThan(4000);
});

test('shows a long line around its match', async () => {
  const { grep } = await benchWith({ 'min.js': `${'x'.repeat(100_000)}needle${'😀'.repeat(100_000)}` });
  const content = await grep({ pattern: 'needle' });
  expect(content).toContain('needle');
  expect(content.length).toBeLessThan(400);
});

test('a file whose matching line is longer than can be shown is named', async () => {
  const { grep } = await benchWith({ 'data.json': `"needle${'x'.repeat(17 * 1024 * 1024)}"` });
  expect(await grep({ pattern: 'needle' })).toBe(
    '[no line of 1 files that could be read matches needle]\n' +
      '[could not be read: data.json (the matching line is too long to be shown)]',
  );
});

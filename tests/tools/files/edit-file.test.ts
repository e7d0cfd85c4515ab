import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { editFileTool } from '../../../src/tools/files/edit-file.ts';
import { setUpBench } from '../tool-context.ts';

test('replaces the only occurrence, literally', async () => {
  const { edit, text } = await setUp('a\nprice = $1;\nb\n');
  const output = await edit({ old_string: 'price = $1;', new_string: "price = $&$'$1;" });
  expect(output).toMatchObject({ content: 'Edited file at line 2', details: { replaced: 1, line: 2 } });
  expect(await text()).toBe("a\nprice = $&$'$1;\nb\n");
});

test('replaces all occurrences with replace_all', async () => {
  const { edit, text } = await setUp('x y x\nx');
  expect((await edit({ old_string: 'x', new_string: 'xx', replace_all: true })).content).toContain('3 places');
  expect(await text()).toBe('xx y xx\nxx');
});

test('reports number and lines if the text is not unique, including overlaps', async () => {
  const { edit, text } = await setUp('aaa\n\nb\naa');
  const output = await edit({ old_string: 'aa', new_string: 'c' });
  expect(output).toMatchObject({ isError: true });
  expect(output.content).toContain('3 times, at lines 1, 1, 4');
  expect(await text()).toBe('aaa\n\nb\naa');
});

test('keeps CRLF when the model writes LF', async () => {
  const { edit, text } = await setUp('one\r\ntwo\r\nthree\r\n');
  await edit({ old_string: 'one\ntwo', new_string: '1\n1.5\n2' });
  expect(await text()).toBe('1\r\n1.5\r\n2\r\nthree\r\n');
});

test('handles mixed line endings', async () => {
  const { edit, text } = await setUp('one\r\ntwo\nthree\n');
  await edit({ old_string: 'two\nthree', new_string: 'x' });
  expect(await text()).toBe('one\r\nx\n');
  expect((await edit({ old_string: 'one\nx', new_string: '1' })).content).toContain('differed from the file in blanks');
  expect(await text()).toBe('1\n');
});

test('keeps a byte order mark and a missing last newline', async () => {
  const { edit, text } = await setUp('\uFEFFone\ntwo');
  await edit({ old_string: 'one', new_string: '1' });
  expect(await text()).toBe('\uFEFF1\ntwo');
});

test('several edits are made one after the other, all or none', async () => {
  const { edit, text } = await setUp('a\nb\nc\nb\n');
  const edits = [
    { old_string: 'a', new_string: 'x\ny' },
    { old_string: 'y', new_string: 'z' },
    { old_string: 'b', new_string: 'B', replace_all: true },
  ];
  expect(await edit({ edits })).toMatchObject({
    content: 'Edited file at line 1; at line 2; in 2 places, the first at line 3',
    details: { replaced: 4, line: 1 },
  });
  expect(await text()).toBe('x\nz\nB\nc\nB\n');
  const failed = await edit({
    edits: [
      { old_string: 'c', new_string: 'C' },
      { old_string: 'B', new_string: 'b' },
    ],
  });
  expect(failed.content).toContain('file: edit 2 of 2: old_string occurs 2 times, at lines 3, 5.');
  expect(failed.content).toContain('No edit was made');
  expect(await text()).toBe('x\nz\nB\nc\nB\n');
  const undone = [
    { old_string: 'c', new_string: 'd' },
    { old_string: 'd', new_string: 'c' },
  ];
  expect((await edit({ edits: undone })).content).toContain('nothing to change');
});

test.each([
  {},
  { old_string: 'a' },
  { new_string: 'a' },
  { old_string: 'a', new_string: 'b', edits: [{ old_string: 'c', new_string: 'd' }] },
])('refuses %j', async (input) => {
  const { edit } = await setUp('a');
  expect(await edit(input)).toMatchObject({
    isError: true,
    content: 'give either old_string and new_string, or edits',
  });
});

test.each([
  ['blanks at ends', 'f(  \n  x,\t\n)\n', 'f(\n  x,\n)', 'g(\n)', 'g(\n)\n', 'blanks at the ends of lines'],
  [
    'tabs for spaces',
    'if (a) {\n\tif (b) {\n\t\tc();\n\t}\n}\n',
    '  if (b) {\n    c();\n  }',
    '  if (b) {\n    c();\n    d();\n      e();\n  }',
    'if (a) {\n\tif (b) {\n\t\tc();\n\t\td();\n\t\t  e();\n\t}\n}\n',
    'indentation',
  ],
  ['deeper', '    a\n      b\n', 'a\n  b\n', 'a\n\n  B\n', '    a\n\n      B\n', 'indentation'],
  ['CRLF', '\ta\r\n\tb\r\n', 'a\nb', 'a\nB', '\ta\r\n\tB\r\n', 'indentation'],
])('a text that differs in %s only is found if one place fits', async (_, before, old, replacement, after, what) => {
  const { edit, text } = await setUp(before);
  const output = await edit({ old_string: old, new_string: replacement });
  expect(output.content).toContain(`(old_string differed from the file in ${what}`);
  expect(await text()).toBe(after);
});

test.each([
  ['two places fit', '\ta\n  a\n', '    a', '    b'],
  ['one indentation is two in the file', 'x\n\ta\n  b\n', ' a\n b', ' c\n d'],
  ['the replacement is indented less than what is known', '\t\ta\n', '  a', 'b'],
  ['other words differ', '\ta b\n', '  a c', '  d'],
  ['only blanks are searched', 'a\n\t\nb\n', ' \n', 'x'],
])('but not if %s', async (_, before, old, replacement) => {
  const { edit, text } = await setUp(before);
  expect(await edit({ old_string: old, new_string: replacement })).toMatchObject({ isError: true });
  expect(await text()).toBe(before);
});

test('shows the nearest place if white space within a line differs', async () => {
  const { edit } = await setUp('function f() {\n\treturn  1;\n}\n');
  const output = await edit({ old_string: '    return 1;', new_string: 'x' });
  expect(output.content).toBe(
    'file: old_string was not found. It differs in white space only, at line 2:\n2\t\treturn  1;',
  );
});

test('shows the nearest place if a word differs, and hints at line numbers', async () => {
  const { edit } = await setUp('alpha\nconst total = items.length;\nomega\n');
  const near = await edit({ old_string: 'const totals = item.length;', new_string: 'x' });
  expect(near.content).toContain('The most similar place, at line 2:\n2\tconst total = items.length;');
  const numbered = await edit({ old_string: '2\tconst total = items.length;', new_string: 'x' });
  expect(numbered.content).toContain('line numbers of read_file');
  const nothing = await edit({ old_string: 'qqqqqqqqqqqq', new_string: 'x' });
  expect(nothing.content).toContain('and nothing similar');
});

test('refuses an edit that changes nothing, and a file that it could not save unchanged', async () => {
  const { edit, path } = await setUp('x');
  expect((await edit({ old_string: 'x', new_string: 'x' })).content).toContain('the same');
  await writeFile(path, Buffer.from('caf\xe9 x', 'latin1'));
  expect((await edit({ old_string: 'x', new_string: 'y' })).content).toContain('not valid UTF-8');
  expect(await readFile(path, 'latin1')).toBe('caf\xe9 x');
});

test('parallel edits of one file all take effect', async () => {
  const lines = Array.from({ length: 50 }, (_, i) => `line ${i}.`);
  const { edit, text } = await setUp(lines.join('\n'));
  await Promise.all(lines.map((line) => edit({ old_string: line, new_string: line.toUpperCase() })));
  expect(await text()).toBe(lines.join('\n').toUpperCase());
});

test('explains a mismatch in the largest file quickly', async () => {
  const { edit } = await setUp('some words of no meaning at all\n'.repeat(300_000));
  const startedAt = performance.now();
  expect(await edit({ old_string: 'no such words anywhere', new_string: 'x' })).toMatchObject({ isError: true });
  expect(performance.now() - startedAt).toBeLessThan(5000);
});

async function setUp(content: string) {
  const { call, workspace } = await setUpBench();
  const path = join(workspace, 'file');
  await writeFile(path, content);
  return {
    path,
    edit: (input: object) => call(editFileTool, { path: 'file', ...input }),
    text: () => readFile(path, 'utf8'),
    mode: async () => (await stat(path)).mode,
  };
}

/** Results as values, which code in the sandbox gets in place of the text for models. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FILE_TOOLS } from '../../../src/tools/files.ts';
import { outputOf } from '../../../src/tools/mcp/result-text.ts';
import { bashTool } from '../../../src/tools/shell.ts';
import { type Bench, setUpBench } from '../tool-context.ts';

async function dataOf(bench: Bench, name: string, input: object): Promise<unknown> {
  const tool = [...FILE_TOOLS, bashTool].find((one) => one.name === name)!;
  return (await bench.call(tool, input)).data?.();
}

test('the own tools give the values that their text shows', async () => {
  const bench = await setUpBench();
  await mkdir(join(bench.workspace, 'sub'));
  await writeFile(join(bench.workspace, 'a:1.txt'), 'one\r\ntwo: x\n\nfour');
  await writeFile(join(bench.workspace, 'empty'), '');
  await symlink('empty', join(bench.workspace, 'link'));

  const file = { path: 'a:1.txt', lines: 4, bytes: 17 };
  expect(await dataOf(bench, 'read_file', { path: 'a:1.txt' })).toEqual({
    ...file,
    first: 1,
    last: 4,
    text: 'one\r\ntwo: x\n\nfour',
  });
  const part = { path: 'a:1.txt', offset: 2, limit: 2 };
  expect(await dataOf(bench, 'read_file', part)).toEqual({ ...file, first: 2, last: 3, text: 'two: x\n\n' });
  expect(await dataOf(bench, 'read_file', { path: 'empty' })).toMatchObject({ text: '', lines: 0 });

  const match = { path: 'a:1.txt', line: 2, text: 'two: x' };
  expect(await dataOf(bench, 'grep', { pattern: 'x$' })).toEqual({ matches: [match], files: 2, more: false });
  expect(await dataOf(bench, 'grep', { pattern: 'o', limit: 1 })).toMatchObject({ more: true });
  expect(await dataOf(bench, 'glob', { pattern: '*.txt' })).toEqual({ paths: ['a:1.txt'], more: false });
  expect(await dataOf(bench, 'list_dir', {})).toEqual({
    entries: [
      { name: 'a:1.txt', kind: 'file', size: 17 },
      { name: 'empty', kind: 'file', size: 0 },
      { name: 'link', kind: 'link', size: null },
      { name: 'sub', kind: 'directory', size: null },
    ],
    more: false,
  });
  expect(await dataOf(bench, 'list_dir', { path: 'sub' })).toEqual({ entries: [], more: false });
  const failed = await dataOf(bench, 'bash', { command: 'echo out; echo err >&2; exit 3' });
  expect(failed).toMatchObject({ exit_code: 3, stdout: 'out\n', stderr: 'err\n', ended: 'exit', signal: null });
});

test('structured content of an MCP server is given with its secrets masked', () => {
  const mask = (text: string) => text.replaceAll('s"cret', '***');
  const structuredContent = { key: 's"cret', list: [{ 's"cret': 1 }] };
  const { data } = outputOf({ content: [{ type: 'text', text: 'see' }], structuredContent }, mask);
  expect(data?.()).toEqual({ key: '***', list: [{ '***': 1 }] });
  expect(outputOf({ content: [{ type: 'text', text: 'see' }] }, mask).data).toBeUndefined();
});

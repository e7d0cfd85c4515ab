import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readNotebook } from '../../../src/tools/files/notebook.ts';
import { readFileTool } from '../../../src/tools/files/read-file.ts';
import { png } from '../../support/media-files.ts';
import { setUpBench } from '../tool-context.ts';

const plot = (width: number) => ({
  output_type: 'display_data',
  data: { 'text/plain': ['<Figure>'], 'image/png': `${png(width, 20).toString('base64')}\n` },
});
const notebook = (cells: readonly object[]) =>
  JSON.stringify({ nbformat: 4, metadata: { language_info: { name: 'python' } }, cells });

const CELLS = [
  { cell_type: 'markdown', source: ['# Sales\n', 'of a year'] },
  {
    cell_type: 'code',
    source: 'plot()\n1 + 1',
    outputs: [
      { output_type: 'stream', name: 'stdout', text: ['drawing\n', 'done\n'] },
      plot(30),
      { output_type: 'execute_result', data: { 'text/plain': '2' } },
    ],
  },
  {
    cell_type: 'code',
    source: [],
    outputs: [{ output_type: 'error', traceback: ['\u001b[31mNameError\u001b[0m', 'x'] }],
  },
  { cell_type: 'code', source: 'svg', outputs: [{ output_type: 'display_data', data: { 'image/svg+xml': '<svg/>' } }] },
];

const LINES = [
  '# Cell 1: markdown',
  '# Sales',
  'of a year',
  '# Cell 2: python',
  'plot()',
  '1 + 1',
  '# Output of cell 2',
  'drawing',
  'done',
  `[cell-2-2.png: image/png, 30 × 20 pixels, ${png(30, 20).length} bytes]`,
  '2',
  '# Cell 3: python',
  '# Output of cell 3',
  'NameError',
  'x',
  '# Cell 4: python',
  'svg',
  '# Output of cell 4',
  '[output of type image/svg+xml: not shown]',
];

test('a notebook is its cells with their outputs, and the pictures of these are files', async () => {
  const { call, workspace } = await setUpBench();
  await writeFile(join(workspace, 'a.ipynb'), notebook(CELLS));
  const { content, files, details } = await call(readFileTool, { path: 'a.ipynb' });
  const numbered = LINES.map((line, index) => `${index + 1}\t${line}`);
  expect(content).toBe([...numbered, '[a notebook, as its cells; write_file and edit_file see its JSON]'].join('\n'));
  expect(files).toEqual([{ name: 'cell-2-2.png', mediaType: 'image/png', bytes: png(30, 20) }]);
  // The focus has not seen what is in the file.
  expect(details).not.toHaveProperty('seen');
});

test('a part of a notebook has the pictures of this part, at most ten', async () => {
  const { call, workspace } = await setUpBench();
  await writeFile(join(workspace, 'a.ipynb'), notebook(CELLS));
  expect((await call(readFileTool, { path: 'a.ipynb', offset: 11 })).files).toBeUndefined();
  expect((await call(readFileTool, { path: 'a.ipynb', offset: 10, limit: 1 })).files).toHaveLength(1);
  const many = { cell_type: 'code', source: '', outputs: Array.from({ length: 13 }, (_, n) => plot(n + 1)) };
  await writeFile(join(workspace, 'b.ipynb'), notebook([many]));
  const output = await call(readFileTool, { path: 'b.ipynb' });
  expect(output.files).toHaveLength(10);
  expect(output.content).toContain('[3 more pictures are not shown]');
});

test('its text has the limits of every text', async () => {
  const { call, workspace } = await setUpBench();
  const text = Array.from({ length: 5000 }, (_, n) => `line ${n}\n`);
  const cell = {
    cell_type: 'code',
    source: 'x',
    outputs: [{ output_type: 'stream', text: [...text, 'y'.repeat(9000)] }],
  };
  await writeFile(join(workspace, 'a.ipynb'), notebook([cell]));
  const { content } = await call(readFileTool, { path: 'a.ipynb' });
  expect(content).toContain('[lines 1 to 2000 of 5004; continue with offset=2001]');
  const last = await call(readFileTool, { path: 'a.ipynb', offset: 5004 });
  expect(last.content).toContain('more characters');
});

test('what is no notebook is a text, and so is a notebook for code', async () => {
  expect(['', '{', '[]', '{"cells": 7}', 'null'].map(readNotebook)).toEqual(Array(5).fill(null));
  expect(readNotebook(notebook([7, null, {}] as never))).toEqual({ text: '# Cell 1: \n', pictures: new Map() });
  const { call, workspace } = await setUpBench();
  await writeFile(join(workspace, 'a.ipynb'), 'not JSON\n');
  expect((await call(readFileTool, { path: 'a.ipynb' })).content).toBe('1\tnot JSON');
  const code = await setUpBench({ codeBytes: 1_000_000 });
  await writeFile(join(code.workspace, 'a.ipynb'), notebook(CELLS));
  expect((await code.call(readFileTool, { path: 'a.ipynb' })).content).toContain('"nbformat":4');
});

/** File tools run in the daemon's own thread, where an input that takes minutes would cost all its foci their leases. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { editFileTool } from '../../../src/tools/files/edit-file.ts';
import { applyPatchTool } from '../../../src/tools/files/patch/apply-patch.ts';
import { setUpBench } from '../tool-context.ts';

const EMPTY_LINES = '\n'.repeat(200_000);

// Each took minutes when it was compared place by place; a test that takes that long fails.
test('a hunk of many equal lines is searched for in linear time', async () => {
  const { patch } = await setUp(EMPTY_LINES);
  const output = await patch(`${' \n'.repeat(20_000)}-x\n+y`);
  expect(output).toMatchObject({ isError: true, content: expect.stringContaining('its lines were not found') });
});

test('thousands of hunks for a file with very many lines are refused', async () => {
  const { patch } = await setUp(EMPTY_LINES);
  expect(await patch('@@\n-x\n+y\n'.repeat(200).trimEnd())).toMatchObject({
    isError: true,
    content: expect.stringContaining('200 hunks are too many for a file of 200000 lines; use several patches'),
  });
});

test('a text with millions of overlapping occurrences is not counted to the end', async () => {
  const { call } = await setUp('a'.repeat(3_000_000));
  const input = { path: 'f', old_string: 'a'.repeat(50_000), new_string: 'b' };
  expect(await call(editFileTool, input)).toMatchObject({
    isError: true,
    content: expect.stringContaining('old_string occurs 1000 or more times, at lines 1, 1,'),
  });
});

test('a mismatch of a text of empty lines is explained', async () => {
  const { call } = await setUp('text\n');
  const input = { path: 'f', old_string: `${'\n'.repeat(200_000)}x`, new_string: 'b' };
  expect(await call(editFileTool, input)).toMatchObject({
    isError: true,
    content: expect.stringContaining('not found'),
  });
});

test('a hunk that begins like the lines before its place is still found', async () => {
  const { patch, text } = await setUp('a\na\nb\na\na\na\nb\nc\n');
  expect(await patch(' a\n a\n b\n-c\n+C')).not.toHaveProperty('isError');
  expect(await text()).toBe('a\na\nb\na\na\na\nb\nC\n');
});

async function setUp(content: string) {
  const { call, workspace } = await setUpBench();
  await writeFile(join(workspace, 'f'), content);
  return {
    call,
    patch: (hunks: string) =>
      call(applyPatchTool, { patch: `*** Begin Patch\n*** Update File: f\n${hunks}\n*** End Patch` }),
    text: () => readFile(join(workspace, 'f'), 'utf8'),
  };
}

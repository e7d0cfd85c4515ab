/** Promise: a virtual file is read and listed at its path like any other, stands before a real one, and cannot be changed. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { editFileTool } from '../../../src/tools/files/edit-file.ts';
import { listDirTool } from '../../../src/tools/files/list-dir.ts';
import { applyPatchTool } from '../../../src/tools/files/patch/apply-patch.ts';
import { readFileTool } from '../../../src/tools/files/read-file.ts';
import { removeFileTool } from '../../../src/tools/files/remove-file.ts';
import { writeFileTool } from '../../../src/tools/files/write-file.ts';
import type { VirtualFiles } from '../../../src/tools/tool.ts';
import { setUpBench } from '../tool-context.ts';

const FILES: Readonly<Record<string, string>> = { 'chats/a.chat': '# A\n\nsaid\n', 'b.chat': '' };
const virtualFiles: VirtualFiles = {
  paths: async () => Object.keys(FILES),
  read: async (path) => FILES[path] ?? null,
};

test('is read at its path, in parts and by any spelling of it', async () => {
  const { call } = await setUpBench({ virtualFiles });
  for (const path of ['chats/a.chat', './chats/../chats/a.chat']) {
    expect((await call(readFileTool, { path })).content).toBe('1\t# A\n2\t\n3\tsaid');
  }
  expect((await call(readFileTool, { path: 'chats/a.chat', offset: 3, limit: 1 })).content).toBe('3\tsaid');
  expect((await call(readFileTool, { path: 'b.chat' })).content).toBe('[b.chat is empty]');
  expect(await call(readFileTool, { path: '../chats/a.chat' })).toMatchObject({ isError: true });
});

test('is listed, also in a directory that is there for it alone', async () => {
  const { call, workspace } = await setUpBench({ virtualFiles });
  await writeFile(join(workspace, 'real.txt'), 'x');
  expect((await call(listDirTool, {})).content).toBe('real.txt\t1\nchats/\nb.chat\t[virtual file]');
  expect((await call(listDirTool, { path: 'chats' })).content).toBe('a.chat\t[virtual file]');
  expect(await call(listDirTool, { path: 'nothing' })).toMatchObject({ isError: true });
});

test('stands before a real file of its path, and no tool changes either', async () => {
  const { call, workspace } = await setUpBench({ virtualFiles });
  await mkdir(join(workspace, 'chats'));
  const real = join(workspace, 'chats/a.chat');
  await writeFile(real, 'real');
  expect((await call(readFileTool, { path: 'chats/a.chat' })).content).toContain('said');
  expect((await call(listDirTool, { path: 'chats' })).content).toBe('a.chat\t[virtual file]');
  const path = 'chats/a.chat';
  for (const output of [
    await call(writeFileTool, { path, content: 'x' }),
    await call(editFileTool, { path, old_string: 'real', new_string: 'x' }),
    await call(removeFileTool, { path }),
    await call(applyPatchTool, { patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` }),
  ])
    expect(output).toMatchObject({ isError: true, details: { boundary: 'read_only' } });
  expect(await readFile(real, 'utf8')).toBe('real');
});

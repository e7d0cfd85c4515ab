/** Promise: a conversation and what came with its messages are read, listed and searched at their paths like any other file, stand before real ones, and cannot be changed. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { editFileTool } from '../../../src/tools/files/edit-file.ts';
import { listDirTool } from '../../../src/tools/files/list-dir.ts';
import { applyPatchTool } from '../../../src/tools/files/patch/apply-patch.ts';
import { readFileTool } from '../../../src/tools/files/read-file.ts';
import { removeFileTool } from '../../../src/tools/files/remove-file.ts';
import { globTool } from '../../../src/tools/files/search/glob.ts';
import { grepTool } from '../../../src/tools/files/search/grep.ts';
import { writeFileTool } from '../../../src/tools/files/write-file.ts';
import type { DatabaseFiles } from '../../../src/tools/tool.ts';
import { setUpBench } from '../tool-context.ts';

const FILES: Readonly<Record<string, string | null>> = {
  'chats/a.chat': '# A\n\nsaid\n',
  'b.chat': '',
  'chats/a.files/notes.txt': 'pay it\n',
  'chats/a.files/photo.png': null,
};
const described = (path: string) =>
  path.endsWith('.chat')
    ? { kind: 'chat' as const, mediaType: null, bytes: null }
    : {
        kind: 'attachment' as const,
        mediaType: path.endsWith('.png') ? 'image/png' : 'text/plain; charset=utf-8',
        bytes: FILES[path]?.length ?? 70,
      };
const databaseFiles: DatabaseFiles = {
  list: async () => Object.keys(FILES).map((path) => ({ path, ...described(path) })),
  read: async (path) => (path in FILES ? { ...described(path), text: FILES[path]! } : null),
};

test('is read at its path, in parts and by any spelling of it', async () => {
  const { call } = await setUpBench({ databaseFiles });
  for (const path of ['chats/a.chat', './chats/../chats/a.chat']) {
    expect((await call(readFileTool, { path })).content).toBe('1\t# A\n2\t\n3\tsaid');
  }
  expect((await call(readFileTool, { path: 'chats/a.chat', offset: 3, limit: 1 })).content).toBe('3\tsaid');
  expect((await call(readFileTool, { path: 'b.chat' })).content).toBe('[b.chat is empty]');
  expect(await call(readFileTool, { path: '../chats/a.chat' })).toMatchObject({ isError: true });
});

test('is listed, also in a directory that is there for it alone', async () => {
  const { call, workspace } = await setUpBench({ databaseFiles });
  await writeFile(join(workspace, 'real.txt'), 'x');
  expect((await call(listDirTool, {})).content).toBe('real.txt\t1\nchats/\nb.chat\t[virtual file]');
  expect((await call(listDirTool, { path: 'chats' })).content).toBe('a.chat\t[virtual file]\na.files/');
  expect((await call(listDirTool, { path: 'chats/a.files' })).content).toBe(
    'notes.txt\t7\t[read-only]\nphoto.png\t70\t[read-only]',
  );
  expect(await call(listDirTool, { path: 'nothing' })).toMatchObject({ isError: true });
});

test('stands before a real file of its path, and no tool changes either', async () => {
  const { call, workspace } = await setUpBench({ databaseFiles });
  await mkdir(join(workspace, 'chats'));
  const real = join(workspace, 'chats/a.chat');
  await writeFile(real, 'real');
  expect((await call(readFileTool, { path: 'chats/a.chat' })).content).toContain('said');
  expect((await call(listDirTool, { path: 'chats' })).content).toBe('a.chat\t[virtual file]\na.files/');
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

test('what came with a message is read as text, or named where it is none', async () => {
  const { call } = await setUpBench({ databaseFiles });
  expect((await call(readFileTool, { path: 'chats/a.files/notes.txt' })).content).toBe('1\tpay it');
  expect(await call(readFileTool, { path: 'chats/a.files/photo.png' })).toMatchObject({
    isError: true,
    content: expect.stringMatching(/is not text \(image\/png, 70 bytes\)\. It came with a message/),
  });
  expect(await call(writeFileTool, { path: 'chats/a.files/notes.txt', content: 'x' })).toMatchObject({
    isError: true,
    details: { boundary: 'read_only' },
  });
});

test('glob finds them, also where no directory is, and each path once', async () => {
  const { call, workspace } = await setUpBench({ databaseFiles });
  expect((await call(globTool, { pattern: '*.txt' })).content).toBe('chats/a.files/notes.txt');
  expect((await call(globTool, { pattern: '**', path: 'chats/a.files' })).content.split('\n').toSorted()).toEqual([
    'chats/a.files/notes.txt',
    'chats/a.files/photo.png',
  ]);
  expect(await call(globTool, { pattern: '*', path: 'none' })).toMatchObject({ isError: true });
  await mkdir(join(workspace, 'chats'));
  await writeFile(join(workspace, 'chats/a.chat'), 'real');
  await writeFile(join(workspace, 'chats/c.chat'), 'real');
  const found = (await call(globTool, { pattern: '*.chat' })).content.split('\n').toSorted();
  expect(found).toEqual(['b.chat', 'chats/a.chat', 'chats/c.chat']);
});

test('grep searches them as they are, not a real file that they stand before', async () => {
  const { call, workspace } = await setUpBench({ databaseFiles });
  const grep = async (input: object) => (await call(grepTool, input)).content;
  expect(await grep({ pattern: 'pay|said' })).toBe('chats/a.chat:3:said\nchats/a.files/notes.txt:1:pay it');
  expect(await grep({ pattern: 'pay|said', glob: '*.chat' })).toBe('chats/a.chat:3:said');
  expect(await grep({ pattern: 'pay|said', path: 'chats/a.files' })).toBe('chats/a.files/notes.txt:1:pay it');
  expect(await grep({ pattern: 'pay|said', path: 'chats/a.chat' })).toBe('chats/a.chat:3:said');
  await mkdir(join(workspace, 'chats'));
  await writeFile(join(workspace, 'chats/a.chat'), 'said in a real file');
  await writeFile(join(workspace, 'said.txt'), 'said, too');
  expect(await grep({ pattern: 'said', path: 'chats/a.chat' })).toBe('chats/a.chat:3:said');
  expect(await grep({ pattern: 'said' })).toBe('chats/a.chat:3:said\nsaid.txt:1:said, too');
  expect(await call(grepTool, { pattern: 'x', path: 'none' })).toMatchObject({ isError: true });
});

test('grep names how many it has not searched', async () => {
  const many: DatabaseFiles = {
    list: async () => Array.from({ length: 60 }, (_, n) => ({ path: `${n}.chat`, ...described('x.chat') })),
    read: async () => ({ ...described('x.chat'), text: 'said' }),
  };
  const { call } = await setUpBench({ databaseFiles: many });
  expect((await call(grepTool, { pattern: 'said' })).content).toMatch(
    /\[not searched: 10 older conversations and files that came with messages; give the path of one\]$/,
  );
});

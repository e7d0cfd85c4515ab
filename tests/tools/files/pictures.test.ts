import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileRule } from '../../../src/process/file-rules.ts';
import { pictureOf } from '../../../src/tools/files/picture.ts';
import { readFileTool } from '../../../src/tools/files/read-file.ts';
import { readWorkspaceFile } from '../../../src/tools/files/text-file.ts';
import { GIF, jpeg, pdf, png, WEBP } from '../../support/media-files.ts';
import { setUpBench } from '../tool-context.ts';

test('an image or a PDF file is the file of the result, with its type, size and pixels in words', async () => {
  const { call, workspace } = await setUpBench();
  const files = {
    'a.png': [png(40, 30), 'image/png, 40 × 30 pixels'],
    'b.jpg': [jpeg(7, 5), 'image/jpeg, 7 × 5 pixels'],
    'c.gif': [GIF, 'image/gif, 1 × 1 pixels'],
    'd.webp': [WEBP, 'image/webp, 1 × 1 pixels'],
    'e.pdf': [pdf(2), 'application/pdf'],
  } as const;
  await mkdir(join(workspace, 'out'));
  for (const [name, [bytes, words]] of Object.entries(files)) {
    await writeFile(join(workspace, 'out', name), bytes);
    const { content, isError, ...output } = await call(readFileTool, { path: `out/${name}` });
    expect(isError).toBeUndefined();
    expect(content).toBe(`out/${name}: ${words}, ${bytes.length} bytes`);
    expect(output.files).toEqual([{ name, mediaType: words.split(',')[0], bytes }]);
    expect(output.details).toMatchObject({ path: `out/${name}`, bytes: bytes.length });
  }
});

test('its bytes say what a file is, not its name', async () => {
  const { call, workspace } = await setUpBench();
  await writeFile(join(workspace, 'shot.png'), 'not a picture\n');
  await writeFile(join(workspace, 'notes.txt'), png());
  await writeFile(join(workspace, 'cut.png'), png().subarray(0, 4));
  const text = await call(readFileTool, { path: 'shot.png' });
  expect(text).toMatchObject({ content: '1\tnot a picture' });
  expect(text.files).toBeUndefined();
  expect((await call(readFileTool, { path: 'notes.txt' })).files).toMatchObject([{ mediaType: 'image/png' }]);
  // Eight bytes tell a PNG.
  expect((await call(readFileTool, { path: 'cut.png' })).files).toBeUndefined();
});

test('a picture has the limits of every file: none outside, none of secrets, none above 10 MiB', async () => {
  const fileRules: FileRule[] = [];
  const { call, workspace, outside } = await setUpBench({ fileRules });
  await writeFile(join(outside, 'a.png'), png());
  await symlink(join(outside, 'a.png'), join(workspace, 'link.png'));
  await writeFile(join(workspace, 'secret.png'), png());
  fileRules.push({ path: join(workspace, 'secret.png'), access: 'hidden' });
  await writeFile(join(workspace, 'huge.png'), Buffer.concat([png(), Buffer.alloc(10 * 1024 * 1024)]));
  for (const [path, words] of [
    ['link.png', 'is outside the workspace'],
    ['secret.png', 'is not accessible to tools'],
    ['huge.png', 'is too large'],
  ]) {
    const output = await call(readFileTool, { path });
    expect(output).toMatchObject({ isError: true, content: expect.stringContaining(words!) });
    expect(output.files).toBeUndefined();
  }
});

test('a file that is replaced after it was opened is the old one, and one that changes while it is read is not shown', async () => {
  const { context, workspace } = await setUpBench();
  const path = join(workspace, 'a.png');
  await writeFile(path, png(3, 3));
  await writeFile(join(workspace, 'b.png'), png(9, 9));
  const reading = readWorkspaceFile({ ...context, mounts: [] }, 'a.png');
  const renamed = rename(join(workspace, 'b.png'), path);
  const file = await reading;
  await renamed;
  if ('refusal' in file) throw new Error(file.refusal);
  expect([png(3, 3), png(9, 9)]).toContainEqual(file.content);
  const torn = pictureOf({ ...file, changing: true }, false)!;
  expect(torn.content).toContain('changed while it was read; read it again later');
  expect(torn.files).toBeUndefined();
});

test('code gets type and size as values, and no file', async () => {
  const { call, workspace } = await setUpBench({ codeBytes: 1_000_000 });
  await writeFile(join(workspace, 'a.png'), png(40, 30));
  const output = await call(readFileTool, { path: 'a.png' });
  expect(output.data?.()).toEqual({
    path: 'a.png',
    media_type: 'image/png',
    bytes: png(40, 30).length,
    width: 40,
    height: 30,
  });
  expect(output.files).toBeUndefined();
});

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { editFileTool } from '../../../src/tools/files/edit-file.ts';
import { listDirTool } from '../../../src/tools/files/list-dir.ts';
import { readFileTool } from '../../../src/tools/files/read-file.ts';
import { writeFileTool } from '../../../src/tools/files/write-file.ts';
import { setUpBench } from '../tool-context.ts';

// Root is asked for no permission.
describe.skipIf(process.getuid?.() === 0)('without permission', () => {
  test('every tool reports that permission was denied', async () => {
    const { call, workspace } = await setUpBench();
    await mkdir(join(workspace, 'closed'));
    await writeFile(join(workspace, 'closed/file'), 'x');
    await writeFile(join(workspace, 'unreadable'), 'x', { mode: 0o000 });
    await chmod(join(workspace, 'closed'), 0o000);
    onTestFinished(() => chmod(join(workspace, 'closed'), 0o700));
    const denied = { isError: true, content: expect.stringContaining('permission denied') };
    expect(await call(readFileTool, { path: 'unreadable' })).toMatchObject(denied);
    expect(await call(readFileTool, { path: 'closed/file' })).toMatchObject(denied);
    expect(await call(writeFileTool, { path: 'closed/new', content: '' })).toMatchObject(denied);
    expect(await call(editFileTool, { path: 'closed/file', old_string: 'x', new_string: 'y' })).toMatchObject(denied);
    expect(await call(listDirTool, { path: 'closed' })).toMatchObject(denied);
  });

  test('a write-protected file is not changed, although its directory would permit replacing it', async () => {
    const { call, workspace } = await setUpBench();
    await writeFile(join(workspace, 'protected'), 'old', { mode: 0o444 });
    const output = await call(writeFileTool, { path: 'protected', content: 'new' });
    expect(output).toMatchObject({ isError: true, content: expect.stringContaining('permission denied') });
    expect(await readFile(join(workspace, 'protected'), 'utf8')).toBe('old');
  });
});

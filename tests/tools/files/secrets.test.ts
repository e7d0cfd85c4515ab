/** A workspace may contain the home of animus, or be the whole host: file tools run in the daemon and must not reveal its secrets. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileRule } from '../../../src/process/file-rules.ts';
import { editFileTool } from '../../../src/tools/files/edit-file.ts';
import { listDirTool } from '../../../src/tools/files/list-dir.ts';
import { applyPatchTool } from '../../../src/tools/files/patch/apply-patch.ts';
import { readFileTool } from '../../../src/tools/files/read-file.ts';
import { globTool } from '../../../src/tools/files/search/glob.ts';
import { grepTool } from '../../../src/tools/files/search/grep.ts';
import { writeFileTool } from '../../../src/tools/files/write-file.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { setUpBench } from '../tool-context.ts';

const patch = (text: string) => ({ patch: `*** Begin Patch\n${text}\n*** End Patch` });

test.each<[Tool, object]>([
  [readFileTool, { path: '.animus/embedded.json' }],
  [readFileTool, { path: 'link/embedded.json' }],
  [readFileTool, { path: '.animus/db/base' }],
  [listDirTool, { path: '.animus/db' }],
  [grepTool, { pattern: 'hunter2', path: '.animus/embedded.json' }],
  [writeFileTool, { path: '.animus/embedded.json', content: '{}' }],
  [writeFileTool, { path: '.animus/db/new', content: '{}' }],
  [editFileTool, { path: '.animus/embedded.json', old_string: 'hunter2', new_string: 'x' }],
  [applyPatchTool, patch('*** Delete File: .animus/embedded.json')],
  [applyPatchTool, patch('*** Update File: a\n*** Move to: .animus/db/a')],
])('%o refuses %j', async (tool, input) => {
  const { call, workspace } = await setUpHome();
  const output = await call(tool, input);
  expect(output).toMatchObject({ isError: true });
  expect(output.content).toContain('is not accessible to tools');
  expect(output.content).not.toContain('hunter2');
  expect(await readFile(join(workspace, '.animus/embedded.json'), 'utf8')).toBe('{"password": "hunter2"}');
});

test('a search reveals neither the content of secrets nor, by what it leaves out, what is not in them', async () => {
  const { call } = await setUpHome();
  const [right, wrong] = [
    await call(grepTool, { pattern: 'hunter[2]' }),
    await call(grepTool, { pattern: 'hunter[3]' }),
  ];
  expect(right.content).not.toContain('embedded.json');
  expect(wrong.content).toBe(right.content.replace('hunter[2]', 'hunter[3]'));
  expect((await call(globTool, { pattern: '**' })).content).not.toContain('db/base');
});

test.runIf(process.platform === 'linux')('the environment of a process is not a file of a workspace', async () => {
  const { call } = await setUpBench({ workspace: '/' });
  for (const path of ['proc/self/environ', `/proc/${process.pid}/environ`, 'proc/self/root/proc/self/environ']) {
    expect(await call(readFileTool, { path })).toMatchObject({
      isError: true,
      content: expect.stringContaining('is not accessible to tools'),
    });
  }
});

/** A workspace that contains the home of animus, as a person's home directory often does. */
async function setUpHome() {
  const fileRules: FileRule[] = [];
  const bench = await setUpBench({ fileRules });
  const home = join(bench.workspace, '.animus');
  for (const name of ['embedded.json', 'db', 'not-there']) fileRules.push({ path: join(home, name), access: 'hidden' });
  await mkdir(join(home, 'db'), { recursive: true });
  await writeFile(join(home, 'embedded.json'), '{"password": "hunter2"}');
  await writeFile(join(home, 'db/base'), 'hunter2');
  await writeFile(join(bench.workspace, 'a'), 'a\n');
  await symlink('.animus', join(bench.workspace, 'link'));
  return bench;
}

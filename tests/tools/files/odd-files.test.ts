/** What lies about in a workspace beside ordinary text files. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { editFileTool } from '../../../src/tools/files/edit-file.ts';
import { listDirTool } from '../../../src/tools/files/list-dir.ts';
import { applyPatchTool } from '../../../src/tools/files/patch/apply-patch.ts';
import { readFileTool } from '../../../src/tools/files/read-file.ts';
import { globTool } from '../../../src/tools/files/search/glob.ts';
import { grepTool } from '../../../src/tools/files/search/grep.ts';
import { writeFileTool } from '../../../src/tools/files/write-file.ts';
import { type Bench, setUpBench } from '../tool-context.ts';

/** Every tool that opens a file by name. */
function openers({ call }: Bench, path: string) {
  return [
    call(readFileTool, { path }),
    call(writeFileTool, { path, content: 'x' }),
    call(editFileTool, { path, old_string: 'a', new_string: 'b' }),
    call(applyPatchTool, { patch: `*** Begin Patch\n*** Update File: ${path}\n-a\n+b\n*** End Patch` }),
    call(applyPatchTool, { patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` }),
  ];
}

test('a socket and a named pipe are refused by every tool, and skipped by searches', async () => {
  const bench = await setUpBench();
  const server = createServer().listen(join(bench.workspace, 'socket'));
  onTestFinished(() => void server.close());
  execFileSync('mkfifo', [join(bench.workspace, 'pipe')]);
  for (const [path, words] of [
    ['socket', 'is a socket'],
    ['pipe', 'is a named pipe'],
  ] as const) {
    for (const { content, isError } of await Promise.all(openers(bench, path))) {
      expect(isError).toBe(true);
      expect(content).toContain(words);
    }
  }
  expect((await bench.call(grepTool, { pattern: '.' })).content).toContain('no line of 0 files matches');
  expect((await bench.call(listDirTool, {})).content).toBe('pipe\t[named pipe]\nsocket\t[socket]');
});

const device = spawnSync('sh', ['-c', 'd=$(mktemp -d); mknod $d/null c 1 3 && : > $d/null; s=$?; rm -r $d; exit $s']);

// Only root may make one, and not in every container.
test.skipIf(device.status !== 0)('a device is refused by every tool', async () => {
  const bench = await setUpBench();
  execFileSync('mknod', [join(bench.workspace, 'zero'), 'c', '1', '5']);
  for (const { content, isError } of await Promise.all(openers(bench, 'zero'))) {
    expect(isError).toBe(true);
    expect(content).toContain('is a device');
  }
});

test('a name with a line break is one entry in every list, and can be opened', async () => {
  const { call, workspace } = await setUpBench();
  const name = 'a\nfake.ts\t1';
  await mkdir(join(workspace, 'd\nir'));
  await writeFile(join(workspace, name), 'here\n');
  const shown = '"a\\nfake.ts\\t1"';
  expect((await call(listDirTool, {})).content).toBe(`${shown}\t5\n"d\\nir"/`);
  expect((await call(globTool, { pattern: '**' })).content).toBe(shown);
  expect((await call(grepTool, { pattern: 'here' })).content).toBe(`${shown}:1:here`);
  expect((await call(readFileTool, { path: name })).content).toBe('1\there');
});

test('text that is not UTF-8 is read with a warning, never written back, with advice', async () => {
  const { call, workspace } = await setUpBench();
  const latin = Buffer.from('gr\xfcn\n', 'latin1');
  await writeFile(join(workspace, 'latin'), latin);
  await writeFile(join(workspace, 'utf16'), Buffer.from([0xfe, 0xff, 0, 0x61]));
  expect((await call(readFileTool, { path: 'latin' })).content).toContain('1\tgr\uFFFDn\n[not valid UTF-8');
  const patch = '*** Begin Patch\n*** Update File: latin\n+x\n*** End of File\n*** End Patch';
  const writes = [
    await call(editFileTool, { path: 'latin', old_string: 'gr', new_string: 'b' }),
    await call(applyPatchTool, { patch }),
  ];
  for (const { content } of writes) expect(content).toContain('iconv -f LATIN1 -t UTF-8');
  expect((await call(readFileTool, { path: 'utf16' })).content).toContain('iconv -f UTF-16BE -t UTF-8');
  expect(await readFile(join(workspace, 'latin'))).toEqual(latin);
});

test('a file that changes while it is read is reported', async () => {
  const { call, workspace } = await setUpBench();
  const file = join(workspace, 'log');
  await writeFile(file, 'line\n'.repeat(1_500_000));
  const writing = new AbortController();
  const writer = (async () => {
    while (!writing.signal.aborted) await appendFile(file, 'more\n');
  })();
  const { content } = await call(readFileTool, { path: 'log', limit: 1 });
  writing.abort();
  await writer;
  expect(content).toContain('the file changed while it was read');
});

/** While a second process replaces directories with links to the outside, no tool call may read or change anything outside. */
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { applyPatchTool } from '../../../src/tools/files/patch/apply-patch.ts';
import { readFileTool } from '../../../src/tools/files/read-file.ts';
import { grepTool } from '../../../src/tools/files/search/grep.ts';
import { writeFileTool } from '../../../src/tools/files/write-file.ts';
import { setUpBench } from '../tool-context.ts';

const ROUNDS = 200;

test('reads never leave the workspace', async () => {
  const { call } = await setUpSwapper();
  const seen = new Set<string>();
  const giveUpAt = performance.now() + 20_000;
  for (let i = 0; i < ROUNDS || (seen.size < 2 && performance.now() < giveUpAt); i++) {
    const { content, isError } = await call(readFileTool, { path: 'dir/file' });
    seen.add(isError ? 'refused' : content.includes('secret') ? 'secret' : 'inside');
  }
  expect(seen).not.toContain('secret');
  // Otherwise nothing was swapped during the test, and it has proved nothing.
  expect([...seen].sort()).toEqual(['inside', 'refused']);
});

test('searches never show what is outside', async () => {
  const { call } = await setUpSwapper();
  const seen = new Set<string>();
  const giveUpAt = performance.now() + 20_000;
  for (let i = 0; i < 50 || (seen.size < 2 && performance.now() < giveUpAt); i++) {
    const { content } = await call(grepTool, { pattern: 'secret|inside', path: i % 2 === 0 ? '.' : 'dir' });
    seen.add(content.includes('file:1:inside') ? 'inside' : content.includes(':1:secret') ? 'secret' : 'nothing');
  }
  expect(seen).not.toContain('secret');
  expect([...seen].sort()).toEqual(['inside', 'nothing']);
});

test('writes never leave the workspace', async () => {
  const { call, outside } = await setUpSwapper();
  let done = 0;
  let refused = 0;
  const giveUpAt = performance.now() + 20_000;
  for (let i = 0; i < ROUNDS || ((done === 0 || refused === 0) && performance.now() < giveUpAt); i++) {
    const { isError } = await call(writeFileTool, { path: `dir/new/${i}`, content: 'written' });
    if (isError) refused++;
    else done++;
    await call(writeFileTool, { path: 'dir/file', content: 'overwritten', overwrite: true });
  }
  expect(await readdir(outside)).toEqual(['file']);
  expect(await readFile(join(outside, 'file'), 'utf8')).toBe('secret');
  expect(done).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
});

test('patches never leave the workspace', async () => {
  const { call, outside } = await setUpSwapper();
  const seen = { done: 0, refused: 0 };
  const patch = async (body: string) => {
    const { isError } = await call(applyPatchTool, { patch: `*** Begin Patch\n${body}\n*** End Patch` });
    if (isError) seen.refused++;
    else seen.done++;
  };
  const giveUpAt = performance.now() + 20_000;
  for (let i = 0; i < ROUNDS || ((seen.done === 0 || seen.refused === 0) && performance.now() < giveUpAt); i++) {
    await patch(`*** Add File: dir/new/${i}\n+x\n*** Update File: dir/file\n+x\n*** End of File`);
    await patch('*** Delete File: dir/file');
    // Otherwise every later round would be refused because the file is missing, and none because of the swap.
    await patch('*** Add File: dir/file\n+inside');
  }
  expect(await readdir(outside)).toEqual(['file']);
  expect(await readFile(join(outside, 'file'), 'utf8')).toBe('secret');
  expect(seen.done).toBeGreaterThan(0);
  expect(seen.refused).toBeGreaterThan(0);
});

/** `dir` alternates between a directory of the workspace and a link to the outside, as fast as a process can swap them. */
async function setUpSwapper() {
  const bench = await setUpBench();
  const { workspace, outside } = bench;
  await mkdir(join(workspace, 'dir'));
  await writeFile(join(workspace, 'dir/file'), 'inside');
  await writeFile(join(outside, 'file'), 'secret');
  const program = `
    const { renameSync, rmSync, symlinkSync } = require('node:fs');
    process.chdir(${JSON.stringify(workspace)});
    process.stdout.write('up');
    for (;;) {
      // write_file may have created its own dir in the gap, which makes one of these steps fail.
      try { renameSync('dir', 'away'); symlinkSync(${JSON.stringify(outside)}, 'dir'); } catch {}
      try { rmSync('dir', { recursive: true, force: true }); renameSync('away', 'dir'); } catch {}
    }`;
  const swapper = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void swapper.kill('SIGKILL'));
  await new Promise((resolve) => swapper.stdout.once('data', resolve));
  return bench;
}

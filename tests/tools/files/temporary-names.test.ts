import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { processMark } from '../../../src/process/trace/process-mark.ts';
import { isTemporaryName, temporaryNames } from '../../../src/tools/files/temporary-names.ts';
import { writeFileTool } from '../../../src/tools/files/write-file.ts';
import { setUpBench } from '../tool-context.ts';

/** A process, and the name of a file that it would write through. */
async function writer() {
  const child = spawn('sleep', ['1000']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const [mine, its] = [process.pid, child.pid!].map((pid) => processMark(pid).replaceAll('/', '_'));
  return { name: temporaryNames().fresh.replace(mine!, its!), die: () => (child.kill('SIGKILL'), once(child, 'exit')) };
}

test('the first write of a focus into a directory removes what a dead process has left there, and nothing else', async () => {
  const { call, workspace } = await setUpBench();
  const [dead, living] = [await writer(), await writer()];
  const others = [living.name, temporaryNames().fresh, temporaryNames().kept, '.animus-write-notes.tmp'];
  for (const name of [dead.name, dead.name.replace('.new.', '.old.'), ...others])
    await writeFile(join(workspace, name), '');
  await dead.die();
  expect((await call(writeFileTool, { path: 'a', content: '' })).content).toBe('Created a (0 bytes)');
  expect((await readdir(workspace)).toSorted()).toEqual(['a', ...others].toSorted());
});

test('of a process elsewhere, what is older than any write takes', async () => {
  const { call, workspace } = await setUpBench();
  const names = [1, 2].map(() => temporaryNames().fresh.replace(/write-.*_/, 'write-boot_4026531836_7_100_'));
  for (const name of names) await writeFile(join(workspace, name), '');
  const before = new Date(Date.now() - 11 * 60_000);
  await utimes(join(workspace, names[0]!), before, before);
  await call(writeFileTool, { path: 'a', content: '' });
  expect((await readdir(workspace)).toSorted()).toEqual(['a', names[1]!].toSorted());
});

test('names are told apart from those that somebody else gives', () => {
  const { fresh, backup, kept } = temporaryNames();
  expect([fresh, `a/${backup}`].every(isTemporaryName)).toBe(true);
  expect([kept, `${fresh}~`, `x${fresh}`, `${fresh}/x`, '.animus-write-a.tmp'].some(isTemporaryName)).toBe(false);
});

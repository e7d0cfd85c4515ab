/** Results for code: whole, where a model gets a part. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FILE_TOOLS } from '../../../src/tools/files.ts';
import { bashJobTool } from '../../../src/tools/shell/bash-job.ts';
import { bashTool, withJobs } from '../../../src/tools/shell.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { type Bench, setUpBench } from '../tool-context.ts';

const CODE_BYTES = 16 * 1024 * 1024;

/** The same call of a model, and of code. */
async function both(bench: Bench, name: string, input: object) {
  const tool = [...FILE_TOOLS, bashTool].find((one) => one.name === name) as Extract<Tool, { kind: 'world' }>;
  const given = tool.input.parse(input) as object;
  return {
    model: await tool.run(given, bench.context),
    code: await tool.run(given, { ...bench.context, codeBytes: CODE_BYTES }),
  };
}

test('bash gives code 5 MB of output, and a model 16 KiB', async () => {
  const bench = await setUpBench();
  const { model, code } = await both(bench, 'bash', {
    command: 'yes 0123456789012345678901234567890123456789012345678 | head -c 5000000',
  });
  expect(model.content.length).toBeLessThan(20_000);
  expect(code.content).toHaveLength('exit code 0\nstdout:\n'.length + 4_999_999);
});

test('files, lines and names are whole', async () => {
  const bench = await setUpBench();
  const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index}`);
  await writeFile(join(bench.workspace, 'big.txt'), `${lines.join('\n')}\n${'w'.repeat(10_000)}\n`);
  await mkdir(join(bench.workspace, 'many'));
  await Promise.all(Array.from({ length: 1100 }, (_, n) => writeFile(join(bench.workspace, 'many', `${n}.md`), '')));

  const read = await both(bench, 'read_file', { path: 'big.txt' });
  expect(read.model.content).toContain('lines 1 to 2000 of 60001');
  expect(read.code.content.split('\n')).toHaveLength(60_001);
  expect(read.code.content).toContain('w'.repeat(10_000));
  const some = await both(bench, 'read_file', { path: 'big.txt', offset: 3, limit: 2 });
  expect(some.code.content).toBe('3\tline 2\n4\tline 3\n[lines 3 to 4 of 60001; continue with offset=5]');

  const found = await both(bench, 'grep', { pattern: 'line \\d+7$' });
  expect(found.model.content.split('\n')).toHaveLength(101);
  expect(found.code.content.split('\n')).toHaveLength(5999);
  const globbed = await both(bench, 'glob', { pattern: '*.md' });
  expect(globbed.model.content).toContain('[1100 files match; these are the first 1000]');
  expect(globbed.code.content.split('\n')).toHaveLength(1100);
  const listed = await both(bench, 'list_dir', { path: 'many' });
  expect(listed.model.content.split('\n')).toHaveLength(1001);
  expect(listed.code.content.split('\n')).toHaveLength(1100);
});

test('code starts nothing in the background, and does not look after it', () => {
  const [bash, job] = withJobs([bashTool, bashJobTool]);
  expect(bash!.notFromCode!({ command: 'sleep 9', background: true })).toContain('Call it directly');
  expect(bash!.notFromCode!({ command: 'true' })).toBeNull();
  expect(job!.notFromCode!({})).toContain('Call it directly');
});

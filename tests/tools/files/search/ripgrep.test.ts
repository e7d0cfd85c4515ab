/** Promise: searches see what ripgrep sees, in bounded time and memory, whatever the files are. */
import { execFileSync } from 'node:child_process';
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { expect, test } from 'vitest';
import { globTool } from '../../../../src/tools/files/search/glob.ts';
import { grepTool } from '../../../../src/tools/files/search/grep.ts';
import { setUpBench } from '../../tool-context.ts';

const SOURCES = join(import.meta.dirname, '../../../../src');

test.each(['readonly', 'async\\s+function', '^import .*zod', '\\bawait\\b.*\\bawait\\b', '(\\w+) \\1 '])(
  'the same lines as ripgrep called by hand: %s',
  async (pattern) => {
    const { call } = await setUpBench({ workspace: SOURCES, codeBytes: 16 * 1024 * 1024 });
    const { data } = await call(grepTool, { pattern });
    const { matches } = data!() as { matches: { path: string; line: number }[] };
    const args = ['--no-config', '--hidden', '--no-heading', '-n', '--engine=auto', '--sort=path', '-e', pattern, '.'];
    const byHand = execFileSync(rgPath, args, {
      cwd: SOURCES,
      encoding: 'utf8',
      maxBuffer: 1e9,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const expected = byHand
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(':', 2).join(':'));
    expect(matches.map(({ path, line }) => `./${path}:${line}`).toSorted()).toEqual(expected.toSorted());
    expect(expected.length).toBeGreaterThan(5);
  },
);

test('the same files as ripgrep lists, by name and by time', async () => {
  const { call } = await setUpBench({ workspace: SOURCES, codeBytes: 16 * 1024 * 1024 });
  const byHand = execFileSync(rgPath, ['--files', '--hidden', '.'], { cwd: SOURCES, encoding: 'utf8' })
    .split('\n')
    .slice(0, -1);
  const { data } = await call(globTool, { pattern: '**' });
  expect((data!() as { paths: string[] }).paths.map((path) => `./${path}`)).toEqual(byHand.toSorted());
});

test('a workspace of an author who configured ripgrep is searched as any other', async () => {
  const { call, workspace } = await setUpBench();
  await writeFile(join(workspace, '.ripgreprc'), '--pre=./evil\n--max-count=0\n');
  await writeFile(join(workspace, 'evil'), '#!/bin/sh\necho needle > ran\n', { mode: 0o755 });
  const before = process.env['RIPGREP_CONFIG_PATH'];
  process.env['RIPGREP_CONFIG_PATH'] = join(workspace, '.ripgreprc');
  try {
    expect((await call(grepTool, { pattern: 'needle' })).content).toBe('evil:2:echo needle > ran');
  } finally {
    if (before === undefined) delete process.env['RIPGREP_CONFIG_PATH'];
    else process.env['RIPGREP_CONFIG_PATH'] = before;
  }
});

test('on a time-out, what was found so far is returned, with where nothing was and what to do', async () => {
  const { call, workspace } = await setUpBench({ timeoutMs: 1500 });
  for (const name of ['big', 'dist', 'none', 'some']) await mkdir(join(workspace, name));
  await writeFile(join(workspace, 'a'), 'needle\n');
  await writeFile(join(workspace, 'some/b'), 'needle\n');
  await writeFile(join(workspace, '.gitignore'), 'dist\n');
  // Zeros that take no place on the disk, but time.
  await writeFile(join(workspace, 'big/zeros'), '');
  await truncate(join(workspace, 'big/zeros'), 1024 ** 4);
  const { content, isError } = await call(grepTool, { pattern: 'needle' });
  expect(isError).toBeUndefined();
  expect(content).toMatch(
    /^a:1:needle\nsome\/b:1:needle\n\[stopped before all files were searched\. They are searched in no order/,
  );
  expect(content).toContain(
    'these, without a match so far, perhaps not begun: big, none. Search narrower paths than .]',
  );
});

test('an aborted call ends the search', async () => {
  const abort = new AbortController();
  const { call, workspace } = await setUpBench({ signal: abort.signal });
  await writeFile(join(workspace, 'zeros'), '');
  await truncate(join(workspace, 'zeros'), 1024 ** 4);
  const searching = call(grepTool, { pattern: 'needle' });
  setTimeout(() => abort.abort(new Error('enough')), 300);
  await expect(searching).rejects.toThrow('enough');
});

test('ripgrep is ended as soon as enough was found', async () => {
  const { context, workspace } = await setUpBench();
  // Far more than a pipe holds: it cannot come to its end by itself.
  for (const name of ['a', 'b']) await writeFile(join(workspace, name), `${'needle '.repeat(20)}\n`.repeat(50_000));
  // Of each run; the second one has less to print.
  const ended: Promise<string>[] = [];
  const launch: typeof context.processes.launch = (spec, signal) => {
    const launched = context.processes.launch(spec, signal);
    ended.push(launched.exited.then((end) => end.ended));
    return launched;
  };
  const processes = new Proxy(context.processes, {
    get: (host, key) => (key === 'launch' ? launch : Reflect.get(host, key, host).bind(host)),
  });
  const output = await grepTool.run(grepTool.input.parse({ pattern: 'needle', limit: 5 }), { ...context, processes });
  expect(output.content.split('\n').filter((line) => line.startsWith('a:'))).toHaveLength(5);
  expect(await ended[0]).toBe('aborted');
});

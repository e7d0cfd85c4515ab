import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startInBackground } from '../../../src/tools/shell/start-in-background.ts';
import { bashTool } from '../../../src/tools/shell.ts';
import { setUpBench } from '../tool-context.ts';

test('reports exit code and both streams, and runs bash in the workspace', async () => {
  const { call, workspace } = await setUpBench();
  await mkdir(join(workspace, 'sub'));
  const good = await call(bashTool, { command: 'pwd; cd sub && [[ $BASH_VERSION ]] && echo "${PWD##*/}"' });
  expect(good).toMatchObject({ content: `exit code 0\nstdout:\n${workspace}\nsub`, details: { exitCode: 0 } });
  expect(good.isError).toBeUndefined();
  const bad = await call(bashTool, { command: 'echo out; echo "no: ü" >&2; exit 3' });
  expect(bad).toMatchObject({ isError: true, content: 'exit code 3\nstdout:\nout\nstderr:\nno: ü' });
});

test("passes only PATH from the daemon's environment", async () => {
  process.env['ANIMUS_TEST_SECRET'] = 'geheim';
  const { call, home } = await setUpBench();
  const { content } = await call(bashTool, { command: 'env' });
  delete process.env['ANIMUS_TEST_SECRET'];
  expect(content).not.toContain('geheim');
  const names = content
    .split('\n')
    .slice(2)
    .map((line) => line.split('=')[0]);
  const known = [
    'PATH',
    'HOME',
    'LANG',
    'TERM',
    'TMPDIR',
    'ANIMUS_WORK_ID',
    'ANIMUS_SPAWN_ID',
    'PWD',
    'OLDPWD',
    'SHLVL',
    '_',
  ];
  expect(names.filter((name) => !known.includes(name ?? '') && !name?.startsWith('GIT_CONFIG_'))).toEqual([]);
  expect(content).toContain(`HOME=${home}`);
});

test('keeps beginning and end of long output', async () => {
  const { call } = await setUpBench();
  const { content } = await call(bashTool, { command: 'echo start; seq 1 200000; echo end' });
  expect(Buffer.byteLength(content)).toBeLessThan(17_000);
  expect(content).toMatch(/^exit code 0\nstdout \(\d+ bytes, the middle left out\):\nstart\n1\n2\n/);
  expect(content.endsWith('\n200000\nend')).toBe(true);
});

test('reports a time-out with the output so far', async () => {
  const { call } = await setUpBench();
  const output = await call(bashTool, { command: 'echo begun; sleep 300', timeout_seconds: 2 });
  expect(output).toMatchObject({ isError: true, details: { ended: 'timeout' } });
  expect(output.content).toBe(
    'timed out after 2 s and was killed together with everything it had started\nstdout:\nbegun',
  );
});

test('a time-out longer than that of the call is shortened to it', async () => {
  const { call } = await setUpBench({ timeoutMs: 800 });
  const output = await call(bashTool, { command: 'sleep 300', timeout_seconds: 1000 });
  expect(output.content).toContain('timed out after 0.4 s');
});

test('does not wait for background processes', async () => {
  const { call } = await setUpBench();
  const output = await call(bashTool, { command: 'sleep 300 & echo started' });
  expect(output.content).toBe('exit code 0\nstdout:\nstarted');
  expect(Number(output.details?.['durationMs'])).toBeLessThan(10_000);
});

test('a call that is cancelled while its command starts in the background has no result', async () => {
  const stop = new AbortController();
  const { context } = await setUpBench({ signal: stop.signal });
  const start: typeof context.background.start = (request) => {
    const started = context.background.start(request);
    stop.abort(new Error('cancelled'));
    return started;
  };
  const background = { ...context.background, start };
  await expect(startInBackground('sleep 300', null, { ...context, background })).rejects.toThrow('cancelled');
});

test('replaces NUL bytes and invalid UTF-8 with characters that can be stored', async () => {
  const { call } = await setUpBench();
  const { content } = await call(bashTool, { command: String.raw`printf 'a\0b\xffc'` });
  expect(content).toBe('exit code 0\nstdout:\na\u2400b\uFFFDc');
});

test('reports that the workspace is gone', async () => {
  const { call } = await setUpBench({ workspace: '/no/such/workspace' });
  const output = await call(bashTool, { command: 'true' });
  expect(output).toMatchObject({
    isError: true,
    content: expect.stringContaining('/no/such/workspace does not exist'),
  });
});

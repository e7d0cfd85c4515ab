/** Real MCP servers from npm: list, call, cancel, crash, restart. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive, processesWith } from '../process/live-processes.ts';
import { freePort } from '../support/free-port.ts';
import { type McpBenchOptions, setUpMcp } from '../support/mcp/mcp-bench.ts';
import { realServers } from '../support/mcp/real-servers.ts';

const servers = realServers();

test('server-filesystem lists its tools, reads and writes in the workspace, and refuses what is outside', async () => {
  const { call, tools, context } = await opened({
    name: 'files',
    command: process.execPath,
    args: [servers.filesystem, '.'],
    tools: ['read_text_file', 'write_file', 'list_directory'],
  });
  expect(tools.map(({ name }) => name)).toEqual([
    'mcp_files_read_text_file',
    'mcp_files_write_file',
    'mcp_files_list_directory',
  ]);
  writeFileSync(join(context.workspace, 'notes.txt'), 'three dots\n');
  expect((await call('read_text_file', { path: 'notes.txt' })).content).toBe('three dots\n');
  await call('write_file', { path: join(context.workspace, 'new.txt'), content: 'written' });
  expect(readFileSync(join(context.workspace, 'new.txt'), 'utf8')).toBe('written');
  expect((await call('list_directory', { path: '.' })).content).toContain('[FILE] new.txt');
  expect(await call('read_text_file', { path: '/etc/passwd' })).toMatchObject({
    isError: true,
    content: expect.stringContaining('outside allowed directories'),
  });
});

test('server-everything on stdio: content of all kinds, progress, cancel, crash and restart', async () => {
  const token = `everything-${process.pid}`;
  const { call, tools, close } = await opened({
    name: 'everything',
    command: process.execPath,
    args: [servers.everything, 'stdio', token],
  });
  expect(tools.length).toBeGreaterThan(8);
  expect((await call('echo', { message: 'hello' })).content).toBe('Echo: hello');
  expect((await call('get-sum', { a: 2, b: 3 })).content).toContain('5');
  expect(await call('get-tiny-image')).toMatchObject({
    content: expect.stringContaining('[image-1.png: image/png, 20 × 20 pixels, '),
    files: [{ mediaType: 'image/png' }],
  });
  expect((await call('get-structured-content', { location: 'Chicago' })).content).toContain('temperature');
  expect((await call('trigger-long-running-operation', { duration: 0.5, steps: 5 })).content).toContain('completed');

  const abort = new AbortController();
  const slow = call('trigger-long-running-operation', { duration: 60, steps: 5 }, { signal: abort.signal });
  abort.abort(new Error('cancelled'));
  await expect(slow).rejects.toThrow('cancelled');
  const late = await call('trigger-long-running-operation', { duration: 60, steps: 2 }, { timeoutMs: 1000 });
  expect(late).toMatchObject({ inDoubt: true, content: expect.stringContaining('did not answer within') });

  const during = call('trigger-long-running-operation', { duration: 60, steps: 2 });
  for (const pid of processesWith(token)) process.kill(pid, 'SIGKILL');
  expect(await during).toMatchObject({ inDoubt: true });
  expect((await call('echo', { message: 'again' })).content).toBe('Echo: again');
  await close?.();
  expect(processesWith(token)).toEqual([]);
});

test('server-everything over streamable HTTP: call, cancel, crash and restart', async () => {
  const port = await freePort();
  const server = await serveHttp(port);
  const { call } = await opened({ name: 'remote', command: null, args: [], url: `http://127.0.0.1:${port}/mcp` });
  expect((await call('echo', { message: 'hello' })).content).toBe('Echo: hello');
  const late = await call('trigger-long-running-operation', { duration: 60, steps: 2 }, { timeoutMs: 1000 });
  expect(late).toMatchObject({ inDoubt: true });
  expect((await call('echo', { message: 'still there' })).content).toBe('Echo: still there');

  const during = call('trigger-long-running-operation', { duration: 60, steps: 600 }, { timeoutMs: 15_000 });
  server.kill('SIGKILL');
  await once(server, 'exit');
  expect(await during).toMatchObject({ isError: true, inDoubt: true });
  expect(await call('echo', { message: 'x' })).toMatchObject({ isError: true });
  await serveHttp(port);
  expect((await call('echo', { message: 'again' })).content).toBe('Echo: again');
});

async function opened(options: McpBenchOptions) {
  const { environment = [], ...others } = options;
  const bench = await setUpMcp({ environment, ...others });
  await bench.pin();
  return { ...(await bench.open()), context: bench.context };
}

async function serveHttp(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [servers.everything, 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${port}/mcp`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBeGreaterThan(0);
  expect(isAlive(child.pid!)).toBe(true);
  return child;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { use } from '../http/mcp/mcp-client.ts';
import { sharedCompileCache } from '../support/compile-cache.ts';
import { LAUNCHER } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { createPerson, createToken } from '../support/people.ts';

// The real command, as a client of MCP starts it.
const target = testDatabase();

function environment(token: string): Record<string, string> {
  const { PATH = '' } = process.env;
  return {
    PATH,
    HOME: '/nowhere',
    DATABASE_URL: target.connectionString,
    ANIMUS_TOKEN: token,
    ...sharedCompileCache(),
  };
}

test('the official client submits work, waits for it and reads what came of it', async () => {
  await createPerson(target.database, 'olga', 'operator');
  const { secret } = await createToken(target.database, 'olga');
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [LAUNCHER, 'mcp'],
    env: environment(secret),
    stderr: 'pipe',
  });
  const errors: Error[] = [];
  Object.assign(client, { onerror: (error: Error) => errors.push(error) });
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect(client.getInstructions()).toContain('submit_work');
  const { id } = await use(client, 'submit_work', { faculty: 'engineer', description: 'Fix it' });
  const waiting = use(client, 'wait_for_work', { id, seconds: 60 });
  expect(await use(client, 'show_work', { id })).toMatchObject({ state: 'queued', submitted_by: 'person:olga' });
  await use(client, 'cancel_work', { id, reason: 'Fixed by hand' });
  expect(await waiting).toMatchObject({ ended: true, item: { state: 'cancelled' } });
  await client.close();
  // What is not a message of the protocol on standard output would be an error.
  expect(errors).toEqual([]);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with 0', async (signal) => {
  const { secret } = await createToken(target.database, 'alice');
  const child = spawn(process.execPath, [LAUNCHER, 'mcp'], { env: environment(secret) });
  onTestFinished(() => void child.kill('SIGKILL'));
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`);
  const stderr = text(child.stderr);
  const [answer] = (await once(child.stdout, 'data')) as [Buffer];
  expect(JSON.parse(answer.toString())).toMatchObject({ id: 1 });
  const rest = text(child.stdout);
  const ended = once(child, 'exit');
  child.kill(signal);
  expect(await ended).toEqual([0, null]);
  expect([await rest, await stderr]).toEqual(['', '']);
});

test('it does not start for a token that is not valid, and shows it nowhere', async () => {
  const child = spawn(process.execPath, [LAUNCHER, 'mcp'], { env: environment('animus_secret_but_wrong') });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect([stdout, code]).toEqual(['', 5]);
  expect(stderr).toContain('the token is not valid');
  expect(stderr).not.toContain('secret_but_wrong');
});

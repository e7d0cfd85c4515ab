import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { McpParts } from '../../../src/terminal/command/command.ts';
import { testDatabase } from '../../support/database.ts';
import { run } from '../run-cli.ts';

const target = testDatabase();
let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'animus-mcp-'));
  writeFileSync(join(cwd, 'token'), 'animus_fromfile\n', { mode: 0o600 });
  writeFileSync(join(cwd, 'open'), 'animus_fromfile\n', { mode: 0o644 });
  writeFileSync(join(cwd, 'empty'), '\n', { mode: 0o600 });
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function mcp(options: readonly string[], env: Record<string, string> = {}) {
  const served: string[] = [];
  const serveMcp = async ({ token }: McpParts) => void served.push(token.reveal());
  const ran = await run(['mcp', ...options], {
    cwd,
    env: { DATABASE_URL: target.connectionString, ...env },
    http: { serveMcp },
  });
  return { ...ran, served };
}

test('the token comes from its variable or a file; standard output is left to the protocol', async () => {
  expect(await mcp([], { ANIMUS_TOKEN: 'animus_one' })).toMatchObject({ code: 0, stdout: '', served: ['animus_one'] });
  expect(await mcp(['--token-file', 'token'], { ANIMUS_TOKEN: 'animus_one' })).toMatchObject({
    code: 0,
    stdout: '',
    served: ['animus_fromfile'],
  });
});

test.each([
  [[], 'animus mcp needs a token, which says who you are: set ANIMUS_TOKEN'],
  [['--token-file', 'open'], 'chmod 600'],
  [['--token-file', 'empty'], 'expected a secret in the file'],
  [['--token-file', 'missing'], 'cannot be read'],
])('does not start with %j', async (options, message) => {
  expect(await mcp(options)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(message),
    served: [],
  });
});

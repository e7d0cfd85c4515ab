import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Readiness } from '../../../src/core/lifecycle/health.ts';
import { openHealthServer } from '../../../src/http/health-server.ts';
import { run } from '../../cli/run-cli.ts';
import { testDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';

const target = testDatabase();

const BROKEN = {
  'a wrong value': ['[daemon]\nmax_concurrent = 0\n', /animus\.toml:2: daemon\.max_concurrent/],
  'a text that is not TOML': ['[daemon\n', /animus\.toml:1/],
} as const;

function site(toml: string): { cwd: string; env: Record<string, string> } {
  const cwd = mkdtempSync(join(tmpdir(), 'animus-broken-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, 'animus.toml'), toml);
  return { cwd, env: { HOME: cwd, DATABASE_URL: target.connectionString } };
}

test.each(Object.entries(BROKEN))(
  '%s in animus.toml stops no command that needs only the database, and is reported',
  async (_, [toml, said]) => {
    const here = site(toml);
    const submitted = await run(['work', 'submit', 'clerk', 'count', '--json'], here);
    expect(submitted).toMatchObject({ code: 0, stderr: expect.stringMatching(said) });
    const { id } = JSON.parse(submitted.stdout) as { id: string };
    for (const argv of [
      ['status'],
      ['work', 'list'],
      ['work', 'show', id],
      ['ledger', 'show', id],
      ['schedule', 'list'],
    ]) {
      const { code, stderr } = await run(argv, here);
      expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr: expect.stringMatching(said) });
      expect(stderr).toContain('the configuration is broken, and this command runs without it');
    }
    const { stdout, stderr } = await run(['status', '--json'], here);
    expect(JSON.parse(stdout)).toMatchObject({ database: { kind: 'postgres' } });
    expect(JSON.parse(stderr)).toMatchObject({ problem: { code: expect.stringMatching(/^config\./) } });
  },
);

test('a command that needs the configuration still fails', async () => {
  expect(await run(['config'], site(BROKEN['a wrong value'][0]))).toMatchObject({ code: 2 });
});

test('health asks the address in the valid part of the file, and fails if that part is broken', async () => {
  const port = await freePort();
  const answer: Readiness = {
    ready: true,
    phase: 'serving',
    version: '1',
    daemon_id: null,
    checks: { database: 'ok', schema: 'ok', listening: 'ok' },
  };
  const server = openHealthServer({ host: '127.0.0.1', port }, async () => answer);
  await server.start();
  onTestFinished(() => server.stop());
  const found = await run(['health'], site(`[daemon]\nmax_concurrent = 0\nhttp = "127.0.0.1:${port}"\n`));
  expect(found).toMatchObject({ code: 0, stderr: expect.stringContaining('daemon.max_concurrent') });
  const lost = await run(['health'], site('[daemon]\nhttp = "everywhere"\n'));
  expect(lost).toMatchObject({ code: 2, stderr: expect.stringContaining('daemon.http') });
});

test('the environment must be valid, and a file named with --config must exist', async () => {
  const here = site('');
  const wrong = await run(['status'], { ...here, env: { ...here.env, DATABASE_URL: 'mysql://x' } });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('DATABASE_URL') });
  const missing = await run(['status', '--config', 'nowhere.toml'], here);
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('nowhere.toml') });
});

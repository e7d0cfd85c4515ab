import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedCompileCache } from '../../support/compile-cache.ts';
import { testDatabase } from '../../support/database.ts';

// The real process: launcher, main, signals, pipes.
const LAUNCHER = new URL('../../../src/animus.js', import.meta.url).pathname;
const db = testDatabase();

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'main-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('the process', () => {
  test('exits quietly when its reader stops early', async () => {
    await db.database.query(
      `insert into animus.work_items (faculty, description) select 'many', repeat('x', 500) from generate_series(1, 5000)`,
    );
    const child = animus('work', 'list', '--limit', '5000');
    child.stdout?.once('data', () => child.stdout?.destroy());
    const stderr = child.stderr === null ? '' : text(child.stderr);
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    expect(await stderr).toBe('');
  });

  test('exits when its reader has gone, even with --watch', async () => {
    const child = animus('status', '--watch', '--every', '1');
    child.stdout?.once('data', () => child.stdout?.destroy());
    const stderr = child.stderr === null ? '' : text(child.stderr);
    const [code] = await once(child, 'exit');
    expect([code, await stderr]).toEqual([0, '']);
  });

  test('writes all output to a slow reader before it exits', async () => {
    const child = animus('work', 'list', '--limit', '5000', '--json');
    const stdout = child.stdout === null ? '' : await text(child.stdout);
    expect(JSON.parse(stdout).items).toHaveLength(5000);
  });

  test.skipIf(!existsSync('/dev/full'))('reports that its output cannot be written, and fails', async () => {
    const full = openSync('/dev/full', 'w');
    const child = start(['status'], full);
    closeSync(full);
    const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
    expect(stderr).toMatch(/^animus: the output cannot be written: ENOSPC/);
    expect(code).toBe(1);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends by %s with %i', async (signal, expected) => {
    const child = animus('work', 'submit', 'nobody', 'x', '--wait');
    child.stdout?.once('data', () => child.kill(signal));
    const [code] = await once(child, 'exit');
    expect(code).toBe(expected);
  });

  test('serve starts, handles a signal, and deregisters', async () => {
    mkdirSync(join(cwd, 'faculties'));
    writeFileSync(
      join(cwd, 'faculties/idle.toml'),
      '[faculty]\nname = "idle"\n[faculty.engage]\nmodel = "claude-sonnet-4-5"\nsystem_prompt = "You wait."\n',
    );
    const child = animus('serve', '--max-concurrent', '3');
    const stderr = child.stderr === null ? '' : text(child.stderr);
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    const [code] = await once(child, 'exit');
    expect([code, await stderr]).toEqual([0, expect.any(String)]);
    const daemons = await db.database.query(
      'select max_concurrent, stopped_at is not null as stopped from animus.daemons',
    );
    expect(daemons).toEqual([{ max_concurrent: 3, stopped: true }]);
  });

  test('exits 2 for unknown commands, and suggests the nearest one', async () => {
    const child = animus('work', 'lsit');
    const [stderr, [code]] = await Promise.all([child.stderr === null ? '' : text(child.stderr), once(child, 'exit')]);
    expect(code).toBe(2);
    expect(stderr).toBe("animus: unknown command 'lsit' (Did you mean list?); see: animus work --help\n");
  });
});

function animus(...argv: string[]): ChildProcess {
  return start(argv, 'pipe');
}

function start(argv: readonly string[], stdout: 'pipe' | number): ChildProcess {
  const { PATH } = process.env;
  const env = { PATH, HOME: cwd, DATABASE_URL: db.connectionString, ...sharedCompileCache() };
  return spawn(process.execPath, [LAUNCHER, ...argv], { cwd, env, stdio: ['ignore', stdout, 'pipe'] });
}

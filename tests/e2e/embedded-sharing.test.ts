/** One embedded directory and several clients: daemons, commands, psql. With real processes. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { launchDaemon, makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { eventually } from '../support/eventually.ts';

const FACULTY = '[faculty]\nname = "clerk"\n[faculty.engage]\nmodel = "claude-sonnet-4-5"\nsystem_prompt = "p"\n';
const CONFIG = '[daemon]\nhttp = "off"\n';

function siteOf(): Site {
  return makeSite({ modelUrl: 'http://127.0.0.1:1', config: CONFIG, faculties: { clerk: FACULTY } });
}

function ownerOf(site: Site): { port: number; password: string; pid: number } {
  return JSON.parse(readFileSync(join(site.home, 'embedded.json'), 'utf8'));
}

test('a second daemon is refused with the pid of the first, which continues; commands use the first', async () => {
  const site = siteOf();
  const first = await startDaemon(site);
  const second = launchDaemon(site);
  expect(await second.exited).toBe(4);
  expect(second.output()).toContain(`is used by process ${first.pid}; stop it, or set DATABASE_URL`);

  expect(ownerOf(site).pid).toBe(first.pid);
  const submitted = await Promise.all(
    [1, 2, 3].map((n) => runAnimus(site, ['work', 'submit', 'nobody', `beside ${n}`])),
  );
  expect(submitted.map(({ exit }) => exit)).toEqual([0, 0, 0]);
  await first.kill('SIGKILL');

  // Nobody owns it now: commands open it one after another, and the next daemon finds all acknowledged data.
  const listed = await Promise.all([1, 2].map(() => runAnimus(site, ['work', 'list', '--json'])));
  expect(listed).toEqual(listed.map(() => ({ exit: 0, stdout: expect.any(String), stderr: expect.any(String) })));
  for (const { stdout } of listed) expect(JSON.parse(stdout).items).toHaveLength(3);
  const third = await startDaemon(site);
  expect(await runAnimus(site, ['status'])).toMatchObject({ exit: 0, stdout: expect.stringMatching(/3 queued/) });
  await third.kill('SIGTERM');
  expect(await third.exited).toBe(0);
}, 180_000);

test('a client with an open transaction delays the daemon for at most five seconds; one with a wrong password not at all', async () => {
  const site = siteOf();
  const daemon = await startDaemon(site);
  const { port, password } = ownerOf(site);
  const url = (word: string) => `postgres://postgres:${word}@127.0.0.1:${port}/postgres?sslmode=disable`;
  const stranger = openPostgres(url('guess'), { poolSize: 1, kind: 'embedded' });
  await expect(stranger.query('select 1')).rejects.toMatchObject({
    code: 'db.refused',
    message: expect.stringContaining('password authentication failed'),
  });
  await stranger.close();

  const client = openPostgres(url(password), { poolSize: 1, kind: 'embedded' });
  onTestFinished(() => client.close());
  const held = client.transaction(async (tx) => {
    await tx.query('create table never (n int)');
    // Idle in it until it is terminated.
    await eventually('a command gets through', async () =>
      (await runAnimus(site, ['status'])).exit === 0 ? true : null,
    );
    await tx.query('select 1');
  });
  await expect(held).rejects.toMatchObject({ code: 'db.unreachable' });
  expect(await client.query(`select to_regclass('never') as there`)).toEqual([{ there: null }]);
  expect(await runAnimus(site, ['work', 'submit', 'nobody', 'x'])).toMatchObject({ exit: 0 });
  await daemon.kill('SIGTERM');
}, 180_000);

test.skipIf(spawnSync('pg_dump', ['--version']).status !== 0)(
  'pg_dump either dumps it or reports that it is too old, and disturbs nobody',
  async () => {
    const site = siteOf();
    const daemon = await startDaemon(site);
    await runAnimus(site, ['work', 'submit', 'nobody', 'dumped']);
    const { port, password } = ownerOf(site);
    const ran = spawnSync(
      'pg_dump',
      ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-n', 'animus', 'postgres'],
      {
        env: { ...process.env, PGPASSWORD: password, PGSSLMODE: 'disable' },
        timeout: 60_000,
      },
    );
    const version = Number(/ (\d+)/.exec(String(spawnSync('pg_dump', ['--version']).stdout))![1]);
    if (version < 18) expect(String(ran.stderr)).toContain('server version mismatch');
    else expect(String(ran.stdout)).toContain('dumped');
    expect(await runAnimus(site, ['work', 'list'])).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('dumped'),
    });
    await daemon.kill('SIGTERM');
  },
  120_000,
);

/** `animus db psql` with the real psql, on a server and on the embedded database. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { LAUNCHER, makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';

const FACULTY =
  '[faculty]\nname = "clerk"\n[faculty.engage]\nmodel = "claude-sonnet-4-5"\nsystem_prompt = "You wait."\n';
const there = spawnSync('psql', ['--version']).status === 0;

function siteOf(databaseUrl?: string): Site {
  return makeSite({
    modelUrl: 'http://127.0.0.1:1',
    faculties: { clerk: FACULTY },
    config: '[daemon]\nhttp = "off"\n',
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
}

describe.skipIf(!there || inject('wire') !== 'anthropic')('animus db psql', () => {
  const pg = testDatabase();
  const ask = ['db', 'psql', '-X', '-A', '-t', '-c'];

  it('passes its arguments to psql and exits as psql does', async () => {
    const site = siteOf(pg.connectionString);
    const asked = await runAnimus(site, [...ask, `select current_database(), current_setting('application_name')`]);
    expect(asked).toMatchObject({ exit: 0, stderr: '' });
    expect(asked.stdout).toBe(`${new URL(pg.connectionString).pathname.slice(1)}|animus db psql\n`);
    // These would override the configured host.
    const elsewhere = { ...site, env: { ...site.env, PGSERVICE: 'nowhere', PGHOSTADDR: '127.0.0.99' } };
    expect(await runAnimus(elsewhere, [...ask, 'select 1'])).toMatchObject({ exit: 0, stdout: '1\n', stderr: '' });
    writeFileSync(join(site.directory, 'broken.sql'), 'select 1/0;');
    expect(await runAnimus(site, ['db', 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-f', 'broken.sql'])).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('division by zero'),
    });
    const wrong = siteOf(pg.connectionString.replace(/test@/, 'wrong@'));
    expect(await runAnimus(wrong, [...ask, 'select 1'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('password authentication failed'),
    });
  });

  it('shows no password in the process list, and leaves Ctrl-C to psql', async () => {
    const site = siteOf(pg.connectionString);
    const child = spawn(process.execPath, [LAUNCHER, 'db', 'psql', '-X', '-A', '-t'], {
      cwd: site.directory,
      env: site.env,
      stdio: 'pipe',
      detached: true,
    });
    onTestFinished(() => void (child.exitCode === null && process.kill(-child.pid!, 'SIGKILL')));
    const exited = once(child, 'exit').then(([code]) => code as number | null);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const until = async (text: string) => expect.poll(() => output, { timeout: 20_000 }).toContain(text);
    child.stdin.write('select 40 + 2;\n');
    await until('42');
    const [psql] = await pg.database.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = 'animus db psql' and datname = current_database()`,
    );
    expect(psql).toBeDefined();
    const processes = spawnSync('ps', ['-eo', 'pgid=,args=']).stdout.toString().split('\n');
    // Other tests may show a password of theirs.
    const lines = processes.filter((line) => line.trim().startsWith(`${child.pid} `));
    expect(lines.some((line) => line.endsWith('psql -X -A -t'))).toBe(true);
    expect(lines.filter((line) => line.includes('test@'))).toEqual([]);

    // As a terminal does: to the whole process group.
    child.stdin.write('select pg_sleep(600);\n');
    await expect
      .poll(() =>
        pg.database.query(`select state from pg_stat_activity where pid = $1 and query like '%pg_sleep%'`, [psql!.pid]),
      )
      .toEqual([{ state: 'active' }]);
    process.kill(-child.pid!, 'SIGINT');
    await until('canceling statement due to user request');
    // Without a terminal, psql then exits with its own code; if the command itself were interrupted, it would exit with 130.
    expect(await exited).toBe(3);
  }, 180_000);

  it('connects to the embedded database of a daemon, and opens it if there is none', async () => {
    const site = siteOf();
    const daemon = await startDaemon(site);
    const inserted = await runAnimus(site, [
      ...ask,
      `insert into animus.work_items (faculty, description) values ('nobody', 'by psql')`,
    ]);
    expect(inserted).toMatchObject({ exit: 0, stdout: 'INSERT 0 1\n' });
    expect(inserted.stderr).toContain('idle for 5 s is aborted');
    await daemon.kill('SIGTERM');
    expect(await runAnimus(site, [...ask, 'select description from animus.work_items'])).toMatchObject({
      exit: 0,
      stdout: 'by psql\n',
    });
    expect(() => readFileSync(join(site.home, 'embedded.json'))).toThrow(/ENOENT/);
  }, 180_000);

  it('says what to install if psql is missing', async () => {
    const site = siteOf(pg.connectionString);
    const empty = join(site.directory, 'bin');
    mkdirSync(empty);
    expect(await runAnimus({ ...site, env: { ...site.env, PATH: empty } }, ['db', 'psql'])).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(/^animus: cannot start psql: it is not installed.*postgresql-client/),
    });
  });
});

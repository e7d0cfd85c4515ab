import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { examineDisk, examineModes } from '../../../src/cli/doctor/site/files.ts';
import { examinePorts } from '../../../src/cli/doctor/site/ports.ts';
import { examinePrograms } from '../../../src/cli/doctor/site/programs.ts';
import type { Config } from '../../../src/core/config/config.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../src/core/lifecycle/interrupts.ts';
import { openHealthServer } from '../../../src/http/health-server.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { run } from '../run-cli.ts';
import { examinedSite, FACULTY } from './examined-site.ts';

const site = examinedSite();
const { doctor, write } = site;

describe('the doctor of a database', () => {
  const migrated = testDatabase();
  const empty = testDatabase({ empty: true });

  test('finds a healthy database, and says what could be better', async () => {
    write({ 'faculties/clerk.toml': FACULTY.replace(/fallback.*\n/, '') });
    const { code, findings } = await doctor([], { databaseUrl: migrated.connectionString });
    expect(findings.filter(({ state }) => state === 'problem')).toEqual([]);
    expect(code).toBe(0);
    expect(findings.map(({ check }) => check)).toEqual([
      'configuration',
      'database',
      'schema',
      'pgmq',
      'pgvector',
      'roles',
      'audit',
      'retention',
      'worktrees',
      'clock',
      'listen',
      'isolation',
      'limits',
      'hidden from agents',
      'read-only for agents',
      'database login',
      ...(process.getuid?.() === 0 ? ['user'] : []),
      'git',
      'docker',
      'disk',
      'disk for temporary files',
      'file modes',
      'health port',
      'faculties',
      'skills',
      'key of anthropic',
    ]);
    expect(findings.find(({ check }) => check === 'clock')?.detail).toMatch(/^this host's clock is \d+ ms /);
    expect(findings.at(-1)).toMatchObject({ state: 'note', remedy: expect.stringContaining('set ANTHROPIC_API_KEY') });
    expect(findings.find(({ check }) => check === 'listen')?.detail).toMatch(/^a notification arrived after \d+ ms$/);
    expect(findings.find(({ check }) => check === 'faculties')?.detail).toMatch(/^clerk in /);
  });

  test('finds a switched-off guard of the decisions, and a login that acts for people with rights of its own', async () => {
    const logins: string[] = [];
    await createLogin(migrated.connectionString, 'animus_gateway, animus_reader', logins);
    const trigger = (state: string) =>
      migrated.database.query(`alter table animus.decisions ${state} trigger decisions_append_only`);
    await trigger('disable');
    const { code, findings } = await doctor([], { databaseUrl: migrated.connectionString });
    await trigger('enable');
    await dropLogins(logins);
    expect(code).toBe(1);
    const about = (check: string) => findings.find((one) => one.check === check && !one.detail.startsWith('decisions'));
    expect(about('audit')).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('decisions_append_only missing or switched off'),
    });
    expect(findings.filter(({ check }) => check === 'gateway').map(({ detail }) => detail)).toContainEqual(
      expect.stringContaining(logins[0]!),
    );
  });

  test('finds an empty database, says what to run, and changes nothing', async () => {
    const { code, findings } = await doctor([], { databaseUrl: empty.connectionString });
    expect(code).toBe(1);
    expect(findings.filter(({ state }) => state === 'problem')).toMatchObject([
      { check: 'schema', remedy: 'run: animus db migrate' },
      { check: 'pgmq', remedy: expect.stringContaining('animus db migrate') },
    ]);
    const schemas = await empty.database.query(`select nspname from pg_namespace where nspname in ('animus', 'pgmq')`);
    expect(schemas).toEqual([]);
  });

  test('finds a stale schema', async () => {
    const db = migrated.database;
    await db.query(
      `update animus.schema_functions set checksum = 'other' where name = (select min(name) from animus.schema_functions)`,
    );
    const { findings } = await doctor([], { databaseUrl: migrated.connectionString });
    expect(findings.filter(({ state }) => state === 'problem')).toMatchObject([
      { check: 'schema', detail: expect.stringContaining('functions differ'), remedy: 'run: animus db migrate' },
    ]);
  });

  test('reports a server that cannot be reached, and checks the rest', async () => {
    const { code, findings } = await doctor([], { databaseUrl: 'postgres://ada:SECRET@127.0.0.1:1/none' });
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'database', state: 'problem', detail: expect.stringContaining('cannot use') }),
    );
    expect(findings.map(({ check }) => check)).toContain('isolation');
    expect(JSON.stringify(findings)).not.toContain('SECRET');
  });

  test('does not create an embedded one', async () => {
    const { code, findings } = await doctor([]);
    expect(code).toBe(0);
    expect(findings[1]).toMatchObject({
      check: 'database',
      state: 'ok',
      detail: expect.stringContaining('not created yet'),
    });
    expect(existsSync(join(site.cwd, 'home'))).toBe(false);
  });
});

describe('the doctor of this host', () => {
  test('finds files that are open to others, and says how to close them', async () => {
    const home = join(site.cwd, 'home');
    mkdirSync(join(home, 'db'), { recursive: true });
    chmodSync(home, 0o755);
    chmodSync(join(home, 'db'), 0o700);
    write({ 'home/embedded.json': '{}', 'animus.toml': '' });
    chmodSync(join(home, 'embedded.json'), 0o640);
    chmodSync(join(site.cwd, 'animus.toml'), 0o666);
    expect(examineModes(configOf({ home, file: join(site.cwd, 'animus.toml') }))).toEqual([
      {
        check: 'file modes',
        state: 'problem',
        detail: `${home} is open to other users (mode 0755)`,
        remedy: `run: chmod 700 ${home}`,
      },
      expect.objectContaining({ remedy: `run: chmod 600 ${home}/embedded.json` }),
      expect.objectContaining({ remedy: `run: chmod 644 ${site.cwd}/animus.toml` }),
    ]);
    expect(examineModes(configOf({ home: join(site.cwd, 'none'), file: null }))).toMatchObject([{ state: 'ok' }]);
    chmodSync(home, 0o711);
    chmodSync(join(home, 'embedded.json'), 0o600);
    const state = process.getuid?.() === 0 ? 'ok' : 'problem';
    expect(examineModes(configOf({ home, file: null }))).toMatchObject([{ state }]);
  });

  test('distinguishes a free port, a daemon, and another program', async () => {
    const { drain } = createInterrupts(systemClock);
    const stranger = createHttpServer((_, response) => response.setHeader('connection', 'close').end('hello'));
    await new Promise<void>((listening) => stranger.listen(0, '127.0.0.1', listening));
    const { port } = stranger.address() as { port: number };
    const ports = (configured: boolean) =>
      examinePorts(configOf({ http: { host: '127.0.0.1', port, configured } }), drain);
    expect(await ports(false)).toMatchObject([{ state: 'note', detail: expect.stringContaining('EADDRINUSE') }]);
    expect(await ports(true)).toMatchObject([{ state: 'problem', remedy: expect.stringContaining('daemon.http') }]);
    stranger.closeAllConnections();
    await new Promise((closed) => stranger.close(closed));
    expect(await ports(true)).toMatchObject([{ state: 'ok', detail: `127.0.0.1:${port} is free for a daemon` }]);
    const ready = { ready: true, phase: 'serving', checks: {}, version: '0', daemon_id: null };
    const daemon = openHealthServer({ host: '127.0.0.1', port }, async () => ready as never);
    await daemon.start();
    onTestFinished(() => daemon.stop());
    expect(await ports(true)).toMatchObject([{ state: 'ok', detail: expect.stringContaining('a daemon answers at') }]);
  });

  test('finds a disk that is almost full', (context) => {
    withSmallDisk(context, (mounted) => {
      const [disk] = examineDisk(configOf({ home: join(mounted, 'not', 'made', 'yet') }));
      expect(disk).toMatchObject({ check: 'disk', state: 'problem', remedy: expect.stringContaining('ANIMUS_HOME') });
      expect(disk?.detail).toContain(`kB free in ${mounted}`);
    });
  });

  test('finds that git is missing: a problem if worktrees need it, else a note', async () => {
    write({ 'bin/none': '' });
    const path = process.env['PATH'];
    onTestFinished(() => void (process.env['PATH'] = path));
    process.env['PATH'] = join(site.cwd, 'bin');
    expect(await examinePrograms({ faculties: new Map() })).toMatchObject([
      { check: 'git', state: 'note', detail: expect.stringContaining('not found') },
      { check: 'docker', state: 'ok', detail: expect.stringContaining('not found; only') },
    ]);
    const faculty = { name: 'smith', isolation: 'worktree' } as Faculty;
    expect(await examinePrograms({ faculties: new Map([['smith', faculty]]) })).toMatchObject([
      { check: 'git', state: 'problem', detail: expect.stringContaining('needs it: smith') },
      {},
    ]);
  });
});

describe('the doctor of files', () => {
  test('reports what is wrong with the configuration and what it could not check then, and exits 1', async () => {
    write({ 'animus.toml': '[daemon]\nmax_concurrent = 0\n' });
    const { code, findings } = await doctor(['--provider', 'anthropic']);
    expect(code).toBe(1);
    expect(findings[0]?.detail).toContain('animus.toml:2: daemon.max_concurrent: expected');
    expect(findings.map(({ check }) => check)).toEqual(['configuration', 'isolation', 'not checked']);
  });

  test('reports every skill that is left out', async () => {
    write({ 'faculties/clerk.toml': FACULTY, 'skills/bad/SKILL.md': '---\nname: bad\n' });
    const { findings } = await doctor([]);
    expect(findings.filter(({ check }) => check === 'skills')).toEqual([
      {
        check: 'skills',
        state: 'problem',
        detail: expect.stringMatching(/skills\/bad\/SKILL\.md:1: its front matter has no end/),
        remedy: 'run: animus skill check',
      },
    ]);
  });

  test('reports every problem of the faculties in full on a narrow terminal', async () => {
    write({ 'faculties/a.toml': '[faculty]\nname = "a"\nmodle = 1\n', 'faculties/clerk.toml': FACULTY });
    const ran = await run(['doctor'], { cwd: site.cwd, env: site.env(), terminal: 40 });
    expect(ran.code).toBe(1);
    const said = ran.stdout.replaceAll(/\s+/g, ' ');
    expect(said).toContain('faculty.modle: unknown key');
    expect(said).toContain('no provider named gw');
  });
});

function configOf(of: { home?: string; file?: string | null; http?: Config['daemon']['http'] }): Config {
  const config = loadConfig({ env: site.env(), cwd: site.cwd });
  const { http = null, ...rest } = of;
  return { ...config, ...rest, daemon: { ...config.daemon, http } };
}

/** Skips the test with the reason if this user may not mount a disk. */
function withSmallDisk({ skip }: TestContext, look: (directory: string) => void): void {
  const directory = join(site.cwd, 'small');
  mkdirSync(directory);
  const args = ['-t', 'tmpfs', '-o', 'size=600k', 'none', directory];
  const mounted = spawnSync('mount', args, { encoding: 'utf8' });
  if (mounted.status !== 0) skip(`no small disk to test with: ${mounted.stderr}`);
  try {
    look(directory);
  } finally {
    spawnSync('umount', [directory]);
  }
}

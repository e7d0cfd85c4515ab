import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import type { Faculty } from '../../../src/catalog/faculty.ts';
import { loadConfig } from '../../../src/catalog/load-config.ts';
import { examineDisk, examineModes } from '../../../src/cli/doctor/files.ts';
import { examinePorts } from '../../../src/cli/doctor/ports.ts';
import { examinePrograms } from '../../../src/cli/doctor/programs.ts';
import type { Config } from '../../../src/core/config/config.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../src/core/lifecycle/interrupts.ts';
import { openHealthServer } from '../../../src/http/health-server.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startOpenAiServer } from '../../support/model-server/openai.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { type RunOptions, run } from '../run-cli.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'doctor-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const FACULTY =
  '[faculty]\nname = "clerk"\n[faculty.engage]\nmodel = "claude-sonnet-4-5"\nfallback_models = ["gw/good"]\nsystem_prompt = "p"\n';

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
      expect.objectContaining({ check: 'database', state: 'problem', detail: expect.stringContaining('cannot reach') }),
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
    expect(existsSync(join(cwd, 'home'))).toBe(false);
  });
});

describe('the doctor of this host', () => {
  test('finds files that are open to others, and says how to close them', async () => {
    const home = join(cwd, 'home');
    mkdirSync(join(home, 'db'), { recursive: true });
    chmodSync(home, 0o755);
    chmodSync(join(home, 'db'), 0o700);
    write({ 'home/embedded.json': '{}', 'animus.toml': '' });
    chmodSync(join(home, 'embedded.json'), 0o640);
    chmodSync(join(cwd, 'animus.toml'), 0o666);
    const found = examineModes(configOf({ home, file: join(cwd, 'animus.toml') }));
    expect(found).toEqual([
      {
        check: 'file modes',
        state: 'problem',
        detail: `${home} is open to other users (mode 0755)`,
        remedy: `run: chmod 700 ${home}`,
      },
      expect.objectContaining({ remedy: `run: chmod 600 ${home}/embedded.json` }),
      expect.objectContaining({ remedy: `run: chmod 644 ${cwd}/animus.toml` }),
    ]);
    chmodSync(home, 0o700);
    expect(examineModes(configOf({ home: join(cwd, 'none'), file: null }))).toMatchObject([{ state: 'ok' }]);
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
    process.env['PATH'] = join(cwd, 'bin');
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
  test('reports what is wrong with the configuration, and exits 1 as for any other problem', async () => {
    write({ 'animus.toml': '[daemon]\nmax_concurrent = 0\n' });
    const { code, findings } = await doctor(['--provider', 'anthropic']);
    expect(code).toBe(1);
    expect(findings[0]).toMatchObject({ check: 'configuration', state: 'problem' });
    expect(findings[0]?.detail).toContain('animus.toml:2: daemon.max_concurrent: expected');
  });

  test('reports every problem of the faculties in full on a narrow terminal', async () => {
    write({ 'faculties/a.toml': '[faculty]\nname = "a"\nmodle = 1\n', 'faculties/clerk.toml': FACULTY });
    const ran = await run(['doctor'], { cwd, env: env(), terminal: 40 });
    expect(ran.code).toBe(1);
    const said = ran.stdout.replaceAll(/\s+/g, ' ');
    expect(said).toContain('faculty.modle: unknown key');
    expect(said).toContain('no provider named gw');
  });
});

describe('the doctor of a provider', () => {
  const gateway = (url: string, more = '') =>
    `[providers.gw]\nkind = "openai"\nbase_url = "${url}/v1"\napi_key_env = "GW_KEY"\n${more}`;

  async function server() {
    const started = await startOpenAiServer([], { models: ['good'] });
    onTestFinished(() => started.close());
    return started;
  }

  test('calls the provider only on request, once, for the model that a faculty names', async () => {
    const gw = await server();
    write({ 'animus.toml': gateway(gw.url), 'faculties/clerk.toml': FACULTY });
    const silent = await doctor([], { GW_KEY: 'k' });
    expect([silent.code, gw.requests.length]).toEqual([0, 0]);
    const asked = await doctor(['--provider', 'gw'], { GW_KEY: 'k' });
    expect(asked.findings.at(-1)).toMatchObject({ check: 'provider gw', state: 'ok' });
    expect(asked.findings.at(-1)?.detail).toMatch(/^answered in .* \(good\)$/);
    expect([asked.code, gw.requests.length]).toEqual([0, 1]);
  });

  test('names the variable that the key belongs in', async () => {
    const gw = await server();
    write({ 'animus.toml': gateway(gw.url) });
    const { code, findings } = await doctor(['--provider', 'gw/good']);
    expect(code).toBe(1);
    expect(findings.at(-1)).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('credentials: '),
      remedy: 'set GW_KEY, or GW_KEY_FILE',
    });
  });

  test('notes a model that is not listed, and checks several at once', async () => {
    const gw = await server();
    write({
      'animus.toml': gateway(gw.url, '[providers.dead]\nkind = "openai"\nbase_url = "http://127.0.0.1:1"\n'),
    });
    const { code, findings } = await doctor(['--provider', 'gw/bad', '--provider', 'dead/x', '--provider', 'dead'], {
      GW_KEY: 'k',
    });
    expect(code).toBe(1);
    expect(findings.slice(-3)).toMatchObject([
      { check: 'provider gw', state: 'note', detail: 'it answers, but does not list bad' },
      { check: 'provider dead', state: 'problem', remedy: expect.stringContaining('check base_url of dead') },
      { check: 'provider dead', state: 'problem', remedy: 'name one: --provider dead/MODEL' },
    ]);
  });

  test('a broken script is a problem, but not for another provider', async () => {
    const gw = await server();
    write({
      'animus.toml': gateway(gw.url, '[providers.play]\nkind = "scripted"\nscript = "play.toml"\n'),
      'play.toml': '[[answer]\n',
    });
    const { findings } = await doctor(['--provider', 'gw/good', '--provider', 'play/x'], { GW_KEY: 'k' });
    expect(findings.slice(-2)).toMatchObject([
      { check: 'provider gw', state: 'ok' },
      { check: 'provider play', state: 'problem', detail: expect.stringContaining('play.toml: line 1') },
    ]);
  });

  test('an unknown provider is a usage error before anything is checked', async () => {
    const ran = await run(['doctor', '--provider', 'antropic'], { cwd, env: env() });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('no provider named antropic (did you mean anthropic?)');
  });

  test('ends at once if it is interrupted while a provider does not answer', async () => {
    const hanging = createServer();
    await new Promise<void>((listening) => hanging.listen(0, '127.0.0.1', listening));
    let connected = false;
    hanging.on('connection', (socket) => {
      connected = true;
      onTestFinished(() => void socket.destroy());
    });
    onTestFinished(() => void hanging.close());
    const { port } = hanging.address() as { port: number };
    write({ 'animus.toml': gateway(`http://127.0.0.1:${port}`) });
    const interrupts = createInterrupts(systemClock);
    const running = run(['doctor', '--provider', 'gw/good'], { cwd, env: env(), interrupts });
    await eventually('the doctor is asking', () => (connected ? true : null));
    interrupts.receive('SIGINT');
    expect(await running).toMatchObject({ code: 130, stderr: 'animus: interrupted\n' });
  });
});

interface Found {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
  readonly remedy: string | null;
}

async function doctor(argv: readonly string[], more: { databaseUrl?: string; GW_KEY?: string } = {}) {
  const { databaseUrl, ...rest } = more;
  const options: RunOptions = { cwd, env: { ...env(), ...(databaseUrl && { DATABASE_URL: databaseUrl }), ...rest } };
  const { code, stdout, stderr } = await run(['doctor', '--json', ...argv], options);
  expect(stderr).toBe('');
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: readonly Found[] };
  expect(ok).toBe(code === 0);
  return { code, findings };
}

function configOf(of: { home?: string; file?: string | null; http?: Config['daemon']['http'] }): Config {
  const config = loadConfig({ env: env(), cwd });
  const { http = null, ...rest } = of;
  return { ...config, ...rest, daemon: { ...config.daemon, http } };
}

/** Skips the test with the reason if this user may not mount a disk. */
function withSmallDisk({ skip }: TestContext, look: (directory: string) => void): void {
  const directory = join(cwd, 'small');
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

function env(): Record<string, string> {
  return { ANIMUS_HOME: join(cwd, 'home') };
}

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
}

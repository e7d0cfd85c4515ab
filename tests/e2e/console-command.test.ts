/** `animus console`, as people run it: what it starts, whom it logs in, and what it leaves behind. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LAUNCHER, makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';

const pg = testDatabase();
const FACULTY = `[faculty]
name = "clerk"
description = "Writes"
[faculty.engage]
model = "claude-sonnet-4-5"
system_prompt = "Write."
`;

function siteOf(config: string, databaseUrl?: string): Site {
  return makeSite({
    modelUrl: 'http://127.0.0.1:9',
    config,
    faculties: { clerk: FACULTY },
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
}

/** Starts it; resolves when it has printed a link. */
async function startConsole(site: Site, args: readonly string[] = []) {
  const child = spawn(process.execPath, [LAUNCHER, 'console', '--no-open', '--person', 'olga', ...args], {
    cwd: site.directory,
    env: site.env,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()));
  const exited = new Promise<number | string | null>((done) =>
    child.once('exit', (code, signal) => done(code ?? signal)),
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const link = await Promise.race([
    eventually('it prints a link', async () => linkIn(output), 60),
    exited.then((code) => Promise.reject(new Error(`it ended with ${code}: ${output}`))),
  ]);
  return { link, exited, output: () => output, kill: () => child.kill('SIGINT') };
}

/** The address of the console, and the secret. */
function linkIn(output: string): readonly [address: string, secret: string] | null {
  const [, address, secret] =
    /^Open (http\S+)#\/login\/(animus_link_\S+) {2}\(valid for 60 s, once\)$/m.exec(output) ?? [];
  return address === undefined ? null : [address, secret!];
}

async function logIn([address, link]: readonly [string, string]) {
  const answer = await fetch(`${address}api/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ link }),
  });
  return { status: answer.status, body: (await answer.json()) as { person?: string; role?: string } };
}

it('starts a daemon with the API and the page, logs its user in as an operator, and leaves nothing behind', async () => {
  const site = siteOf(`[daemon]\nhttp = "127.0.0.1:${await freePort()}"\n`);
  const started = await startConsole(site);
  const [address] = started.link;
  const page = await fetch(address);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="app">')]);
  expect(await logIn(started.link)).toMatchObject({ status: 201, body: { person: 'olga', role: 'operator' } });
  expect((await logIn(started.link)).status).toBe(401);
  expect((await runAnimus(site, ['health'])).exit).toBe(0);
  expect(started.output()).toContain('added olga with role operator');

  // Another one only makes a link to it.
  const { stdout, exit } = await runAnimus(site, ['console', '--json', '--person', 'olga']);
  const made = JSON.parse(stdout) as { url: string; person_added: boolean };
  expect([exit, made.person_added]).toEqual([0, false]);
  expect(await logIn(linkIn(`Open ${made.url}  (valid for 60 s, once)`)!)).toMatchObject({ status: 201 });

  started.kill();
  expect(await started.exited).toBe(0);
  expect(readdirSync(join(site.home, 'health'))).toEqual([]);
  await expect(fetch(address)).rejects.toThrow();
}, 120_000);

it('a daemon without the API or the console is left as it is, and the message says what to change', async () => {
  for (const [config, missing] of [
    ['', 'api'],
    ['[http]\napi = true\nconsole = false\n', 'console'],
  ] as const) {
    const site = siteOf(`[daemon]\nhttp = "127.0.0.1:${await freePort()}"\n${config}`);
    const daemon = await startDaemon(site);
    const refused = await runAnimus(site, ['console', '--no-open']);
    expect([refused.exit, refused.stderr]).toEqual([
      2,
      expect.stringContaining(
        `does not serve the console: set ${missing} = true in [http] of ${site.directory}/animus.toml`,
      ),
    ]);
    await daemon.kill('SIGTERM');
  }
}, 120_000);

it('where it cannot serve, it says why: no address, a port that is taken, the console switched off', async () => {
  const taken = siteOf(`[daemon]\nhttp = "127.0.0.1:${await freePort()}"\n[http]\napi = true\n`);
  const daemon = await startDaemon(taken);
  const config = readFileSync(join(taken.directory, 'animus.toml'), 'utf8');
  for (const [text, exit, message] of [
    [config, 4, 'cannot listen at 127.0.0.1:'],
    ['[daemon]\nhttp = "off"\n', 2, 'daemon.http is "off"'],
    ['[daemon]\nhttp = "0.0.0.0:1"\n', 2, 'without encryption'],
    ['[http]\nconsole = false\n', 2, 'http.console is false'],
  ] as const) {
    const refused = await runAnimus(siteOf(text), ['console', '--no-open']);
    expect([refused.exit, refused.stderr]).toEqual([exit, expect.stringContaining(message)]);
  }
  await daemon.kill('SIGTERM');
}, 120_000);

it('on a server it serves the page only, and runs no work; without faculties the same', async () => {
  const http = `[daemon]\nhttp = "127.0.0.1:${await freePort()}"\n`;
  const started = await startConsole(siteOf(http, pg.connectionString));
  expect(await logIn(started.link)).toMatchObject({ status: 201, body: { person: 'olga', role: 'operator' } });
  expect(await pg.database.query('select from animus.daemons')).toEqual([]);
  started.kill();
  expect(await started.exited).toBe(0);

  const bare = makeSite({ modelUrl: null, config: http, faculties: {} });
  const alone = await startConsole(bare);
  expect((await logIn(alone.link)).status).toBe(201);
  expect(alone.output()).toContain('has no faculties');
  alone.kill();
  expect(await alone.exited).toBe(0);
}, 120_000);

it('a login that is not an operator of the database makes no link', async () => {
  const role = `reader_${process.pid}`;
  await pg.database.query(`create role ${role} login password 'x' in role animus_reader`);
  onTestFinished(() => pg.database.query(`drop role ${role}`).then(() => undefined));
  const url = new URL(pg.connectionString);
  [url.username, url.password] = [role, 'x'];
  const refused = await runAnimus(siteOf('', url.href), ['console', '--url', 'https://ops.example.com/animus']);
  expect([refused.exit, refused.stderr]).toEqual([5, expect.stringMatching(/lacks a permission.*create_login_link/)]);
  const made = await runAnimus(siteOf('', pg.connectionString), [
    'console',
    '--person',
    'ada',
    '--url',
    'https://ops.example.com/animus',
  ]);
  expect([made.exit, made.stdout]).toEqual([
    0,
    expect.stringContaining('Open https://ops.example.com/animus/#/login/animus_link_'),
  ]);
}, 60_000);

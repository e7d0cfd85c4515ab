/** The page of the console as a browser gets it. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import { readConsoleFiles } from '../../../src/http/console/console-files.ts';
import { type ConsoleOptions, serveConsole } from '../../../src/http/console/serve-console.ts';
import { openHealthServer } from '../../../src/http/health-server.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { closed, connected } from '../../support/raw-socket.ts';

const PAGE = '<!doctype html><title>animus</title>';
const SCRIPT = 'export const answer = 42;\n'.repeat(200);

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'animus-console-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  mkdirSync(join(made, 'assets'));
  writeFileSync(join(made, 'index.html'), PAGE);
  writeFileSync(join(made, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(made, 'assets', 'app-x1y2.js'), SCRIPT);
  writeFileSync(join(made, 'assets', 'picture-x1.png'), Buffer.of(0x89, 0x50));
  writeFileSync(join(made, 'agent-gate.js'), SCRIPT);
  writeFileSync(join(made, 'notes'), 'not of the page');
  return made;
}

async function serve(options: Partial<ConsoleOptions> = {}) {
  const files = directory();
  const look = async () => ({
    ready: true,
    phase: 'serving' as const,
    version: '1',
    daemon_id: null,
    checks: { database: 'ok', schema: 'ok', listening: 'ok' },
  });
  const server = openHealthServer({ host: '127.0.0.1', port: 0 }, look, { maxConnections: 100 });
  const settings = { allowedHosts: ['console.example.com'], allowedOrigins: [] };
  const page = serveConsole({ settings, log: silentLog, load: () => readConsoleFiles(files), ...options });
  await server.start();
  onTestFinished(() => server.stop());
  server.serveApi({ answer: (_, response) => void response.end('the API'), page, stop: async () => {} });
  return { url: `http://127.0.0.1:${server.address().port}`, files };
}

/** As it goes over the wire: `fetch` would decode it. */
async function get(url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const [answer] = await once(request(url, { method, headers }).end(), 'response');
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece);
  return { status: answer.statusCode as number, headers: answer.headers, body: Buffer.concat(pieces) };
}

test('the page and its files are sent with what browsers need to protect them', async () => {
  const { url } = await serve();
  const page = await get(url);
  expect([page.status, page.body.toString()]).toEqual([200, PAGE]);
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': expect.stringContaining('camera=()'),
    'cache-control': 'no-cache',
    etag: expect.stringMatching(/^"[\w-]{27}-identity"$/),
  });
  const script = await get(`${url}/assets/app-x1y2.js?again`);
  expect([script.status, script.body.toString()]).toEqual([200, SCRIPT]);
  expect(script.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': page.headers['content-security-policy'],
  });
  expect((await get(`${url}/icon.svg`)).headers).toMatchObject({ 'cache-control': 'no-cache' });
  expect(page.headers['access-control-allow-origin']).toBeUndefined();
  expect((await get(`${url}/agent-gate.js`, { origin: 'https://team.example.com' })).headers).toMatchObject({
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'no-cache',
  });
});

test('a file is sent in the best coding that the client takes, and not at all if it has it', async () => {
  const { url } = await serve();
  const asset = `${url}/assets/app-x1y2.js`;
  const [br, gzip, plain] = [
    await get(asset, { 'accept-encoding': 'gzip, deflate, br' }),
    await get(asset, { 'accept-encoding': 'gzip;q=1.0, br;q=0' }),
    await get(asset, { 'accept-encoding': 'deflate, br;q=0.0' }),
  ];
  expect([br, gzip, plain].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined]);
  expect(brotliDecompressSync(br.body).toString()).toBe(SCRIPT);
  expect(gunzipSync(gzip.body).toString()).toBe(SCRIPT);
  expect(br.body.length).toBeLessThan(SCRIPT.length / 10);
  expect(new Set([br, gzip, plain].map(({ headers }) => headers.etag)).size).toBe(3);
  expect(br.headers.vary).toBe('accept-encoding');
  const picture = await get(`${url}/assets/picture-x1.png`, { 'accept-encoding': 'br' });
  expect([picture.headers['content-encoding'], picture.body.length]).toEqual([undefined, 2]);

  const again = await get(asset, { 'accept-encoding': 'br', 'if-none-match': `W/${br.headers.etag}` });
  expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, br.headers.etag]);
  expect((await get(asset, { 'if-none-match': br.headers.etag! })).status).toBe(200);
  const head = await get(asset, { 'accept-encoding': 'br' }, 'HEAD');
  expect([head.status, head.body.length, head.headers['content-length']]).toEqual([200, 0, `${br.body.length}`]);
});

test('nothing else is served, whatever the path says; health and the API stay where they are', async () => {
  const { url, files } = await serve();
  expect((await get(url)).status).toBe(200);
  const raw = async (path: string) => {
    const socket = await connected(url);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`);
    return (await closed(socket)).slice(9, 12);
  };
  for (const path of [
    '/notes',
    '/index.html/',
    '/assets',
    '/assets/',
    '/assets/../notes',
    '/assets/%2e%2e/notes',
    '/..%2f..%2fetc/passwd',
    '/../../../../etc/passwd',
    `/${files}/index.html`,
    '//etc/passwd',
    '/assets/app-x1y2.js%00.html',
    '/ASSETS/app-x1y2.js',
  ])
    expect([path, await raw(path)]).toEqual([path, '404']);
  expect(JSON.parse((await get(`${url}/healthz`)).body.toString())).toEqual({ alive: true });
  expect((await get(`${url}/readyz`)).status).toBe(200);
  expect((await get(`${url}/api/v1/me`)).body.toString()).toBe('the API');
  // What was read once is all that there is.
  rmSync(files, { recursive: true });
  expect((await get(`${url}/assets/app-x1y2.js`)).body.toString()).toBe(SCRIPT);
});

test('other methods and names of hosts are refused', async () => {
  const { url } = await serve();
  const posted = await get(url, {}, 'POST');
  expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
  expect((await get(url, { host: 'evil.example' })).status).toBe(421);
  expect((await get(url, { host: 'console.example.com' })).status).toBe(200);
});

test('what is missing is said, and tried again, but not for each request', async () => {
  let now = 0;
  let tries = 0;
  const load = async () => {
    tries += 1;
    if (tries === 1) throw new AnimusError('http.no_console', { detail: 'run npm ci' });
    if (tries === 2) throw new Error('/secret/place: EACCES');
    return readConsoleFiles(directory());
  };
  const { url } = await serve({ load, now: () => now });
  for (let n = 0; n < 3; n++) {
    const answer = await get(url);
    expect([answer.status, answer.body.toString(), answer.headers['retry-after']]).toEqual([
      503,
      'the console cannot be shown: run npm ci\n',
      '10',
    ]);
  }
  expect(tries).toBe(1);
  expect((await get(`${url}/assets/app-x1y2.js`)).status).toBe(404);
  expect((await get(`${url}/healthz`)).status).toBe(200);
  now = 10_000;
  const other = await get(url);
  expect([other.status, other.body.toString()]).toEqual([503, expect.not.stringContaining('secret')]);
  now = 20_000;
  expect((await get(url)).status).toBe(200);
  expect(tries).toBe(3);
});

test('a directory without a page is an error', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'animus-console-'));
  onTestFinished(() => rmSync(empty, { recursive: true }));
  await expect(readConsoleFiles(empty)).rejects.toThrow('has no index.html');
});

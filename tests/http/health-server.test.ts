import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { HttpAddress, Readiness } from '../../src/core/lifecycle/health.ts';
import { openHealthServer } from '../../src/http/health-server.ts';
import { freePort } from '../support/free-port.ts';
import { closed, connected } from '../support/raw-socket.ts';

test('reports that the process is alive, and whether the daemon is ready', async () => {
  let now = readiness(true);
  const url = await serve(async () => now);
  expect(await get(`${url}/healthz`)).toEqual({ status: 200, body: { alive: true } });
  expect(await get(`${url}/readyz?verbose`)).toEqual({ status: 200, body: now });
  now = readiness(false);
  expect(await get(`${url}/readyz`)).toEqual({ status: 503, body: now });
  expect(await get(`${url}/healthz`)).toMatchObject({ status: 200 });
});

test('other paths and methods get a list of what exists', async () => {
  const url = await serve(async () => readiness(true));
  expect(await get(`${url}/metrics`)).toEqual({
    status: 404,
    body: { error: expect.stringContaining('/healthz, /readyz') },
  });
  const posted = await fetch(`${url}/readyz`, { method: 'POST', body: 'x' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  const head = await fetch(`${url}/readyz`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('a slow request is closed at its time-out', { timeout: 20_000 }, async () => {
  const url = await serve(async () => readiness(true));
  const slow = await connected(url);
  slow.write('GET /readyz HTTP/1.1\r\nhost: a\r\n');
  expect(await closed(slow)).toContain('408');
});

test('headers that are too large are refused', async () => {
  const socket = await connected(await serve(async () => readiness(true)));
  socket.write(`GET /healthz HTTP/1.1\r\nx: ${'x'.repeat(17 * 1024)}\r\n\r\n`);
  expect(await closed(socket)).toContain('431');
});

test('an address in use is an error with advice; a server that stops leaves no connection open', async () => {
  const taken = createServer();
  taken.listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const server = openHealthServer({ host: '127.0.0.1', port }, async () => readiness(true));
  await expect(server.start()).rejects.toMatchObject({
    code: 'http.unavailable',
    message: expect.stringMatching(`cannot listen at 127.0.0.1:${port}: .*EADDRINUSE.*; free the address, or choose`),
  });
  await server.stop();
});

async function serve(look: () => Promise<Readiness>): Promise<string> {
  const address: HttpAddress = { host: '127.0.0.1', port: await freePort() };
  const server = openHealthServer(address, look);
  await server.start();
  onTestFinished(() => server.stop());
  return `http://127.0.0.1:${address.port}`;
}

async function get(url: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return { status: response.status, body: await response.json() };
}

function readiness(ready: boolean): Readiness {
  const checks = { database: ready ? 'ok' : 'no answer within 3 s', schema: 'ok', listening: 'ok' };
  return { ready, phase: 'serving', version: '1', daemon_id: null, checks };
}

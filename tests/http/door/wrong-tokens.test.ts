/** Wrong tokens slow down who sends them, and nobody else, though all clients may have one address. */
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { newAccessToken } from '../../../src/core/secrets/access-token.ts';
import { limitLookUps } from '../../../src/http/door/look-ups.ts';
import { SUBPROTOCOL } from '../../../src/http/sockets/socket-server.ts';
import { type TestApi, testApi } from '../../support/api.ts';

const site = testApi();
/** Limits recover with time; here it stands still. */
const clock = { ...systemClock, monotonicMs: () => 0 };
const start: typeof site.start = (options) => site.start({ clock, ...options });
const ME = '/me';
const settings = { allowedHosts: [], allowedOrigins: [], requestsPerMinute: 100_000 };

const wrong = (api: TestApi, headers: Record<string, string> = {}, token = newAccessToken().reveal()) =>
  api.call(null, 'GET', ME, { headers: { authorization: `Bearer ${token}`, ...headers } });

async function useUp(api: TestApi, headers: Record<string, string> = {}): Promise<void> {
  const statuses = new Set<number>();
  for (let n = 0; n < 65; n++) statuses.add((await wrong(api, headers)).status);
  expect(statuses).toEqual(new Set([401, 429]));
}

test('tokens that were never used before are accepted from an address that sends wrong ones', async () => {
  const api = await start();
  await useUp(api);
  for (let n = 0; n < 14; n++) expect((await api.call(`fresh-${n}`, 'GET', ME)).status).toBe(200);
  const refused = await wrong(api);
  expect(refused).toMatchObject({
    status: 429,
    body: {
      code: 'http.too_many',
      detail: expect.stringMatching(/^the token is not valid; too many wrong tokens came from 127\.0\.0\.1; try again/),
    },
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('the same is true of MCP and of WebSockets', async () => {
  const api = await start();
  await useUp(api);
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const headers = { accept: 'application/json, text/event-stream' };
  expect((await api.call('mcp', 'POST', '/mcp', { body: initialize, headers })).status).toBe(200);
  const token = await api.tokenOf('socket');
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/api/v1/socket`, [SUBPROTOCOL, `token.${token}`]);
  await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.close();
});

test('a flood of wrong tokens leaves the database to those whose tokens are known, and to fresh ones', async () => {
  const api = await start();
  await api.call('alice', 'GET', ME);
  const flood = Array.from({ length: 400 }, () => wrong(api));
  const [known, fresh] = await Promise.all([api.call('alice', 'GET', ME), api.call('late', 'GET', ME)]);
  expect([known.status, fresh.status]).toEqual([200, 200]);
  expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([401, 429]));
});

test('behind a trusted proxy, each client has a limit of its own', async () => {
  const api = await start({ settings: { ...settings, trustedProxies: ['127.0.0.0/8'] } });
  await useUp(api, { 'x-forwarded-for': '198.51.100.7' });
  expect((await wrong(api, { 'x-forwarded-for': '203.0.113.5, 198.51.100.7' })).status).toBe(429);
  expect((await wrong(api, { 'x-forwarded-for': '198.51.100.8' })).status).toBe(401);
  expect((await wrong(api, { forwarded: 'for=198.51.100.7' })).status).toBe(429);
});

test('without trusted proxies, nobody gets a new limit by inventing addresses', async () => {
  const api = await start({ settings });
  await useUp(api, { 'x-forwarded-for': '198.51.100.7' });
  expect((await wrong(api, { 'x-forwarded-for': '198.51.100.8' })).status).toBe(429);
});

test('look-ups run a few at once, in order, and not for clients that have left', async () => {
  const lookUps = limitLookUps(2);
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const left = new AbortController();
  const stay = new AbortController().signal;
  const look = (name: string, signal = stay) =>
    lookUps.run(signal, async () => {
      log.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const [a, b, gone, c] = [look('a'), look('b'), look('gone', left.signal), look('c')];
  left.abort();
  expect(log).toEqual(['a', 'b']);
  ends.get('a')!();
  await expect(gone).rejects.toMatchObject({ code: 'http.starting' });
  await expect.poll(() => log).toEqual(['a', 'b', 'c']);
  ends.get('b')!();
  ends.get('c')!();
  expect(await Promise.all([a, b, c])).toEqual(['a', 'b', 'c']);
});

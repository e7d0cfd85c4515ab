import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { rateLimit } from '../../../src/http/door/limits.ts';
import { testApi } from '../../support/api.ts';
import { closed, connected } from '../../support/raw-socket.ts';

const { start } = testApi();

describe('a body', () => {
  test.each([
    ['{"faculty":', 400, 'not JSON'],
    ['', 400, 'empty'],
    ['['.repeat(200_000), 400, 'nested'],
    [`{"faculty":"a","params":{"a":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}}`, 400, 'nested'],
    ['{"faculty":"a","description":"\\u0000"}', 400, 'NUL'],
    ['null', 400, 'expected object'],
    ['"[[[["', 400, 'expected object'],
  ])('of the wrong form is refused: %.30s', async (body, status, word) => {
    const { call } = await start();
    const answer = await call('alice', 'POST', '/work', { body });
    expect(answer).toMatchObject({ status, body: { code: 'http.invalid', detail: expect.stringContaining(word) } });
  });

  test('must be UTF-8, uncompressed and declared as JSON', async () => {
    const { url, call, tokenOf } = await start();
    const headers = { authorization: `Bearer ${await tokenOf('alice')}`, 'content-type': 'application/json' };
    const latin = await fetch(`${url}/api/v1/work`, {
      method: 'POST',
      headers,
      body: Buffer.from('{"faculty":"caf\xe9"}', 'latin1'),
    });
    expect([latin.status, await latin.json()]).toMatchObject([400, { detail: expect.stringContaining('UTF-8') }]);
    for (const wrong of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }]) {
      expect(await call('alice', 'POST', '/work', { body: { faculty: 'a' }, headers: wrong })).toMatchObject({
        status: 415,
        body: { code: 'http.media_type' },
      });
    }
  });

  test('that is too large is refused by its length, and while it is read', async () => {
    const { url, tokenOf } = await start();
    const token = await tokenOf('alice');
    const declared = await connected(url);
    declared.write(head(token, `content-length: ${100 * 1024 * 1024}`));
    expect(await closed(declared)).toContain('413 ');
    const chunked = await connected(url);
    chunked.write(head(token, 'transfer-encoding: chunked'));
    const chunk = Buffer.alloc(1024 * 1024, 32);
    chunked.on('error', () => {});
    const answer = closed(chunked);
    for (let n = 0; n < 40 && !chunked.destroyed; n++) {
      chunked.write(`${chunk.length.toString(16)}\r\n`);
      if (!chunked.write(Buffer.concat([chunk, Buffer.from('\r\n')])))
        await Promise.race([once(chunked, 'drain').catch(() => {}), answer]);
    }
    expect(await answer).toMatch(/413 |^$/);
  });
});

describe('a request', () => {
  test.each([['evil.example'], ['evil.example:7717'], ['127.0.0.1.evil.example'], ['localhost.evil.example'], ['']])(
    'with the Host %j is refused: DNS may have been rebound',
    async (host) => {
      const { url } = await start();
      expect(await raw(url, host)).toMatch(/^HTTP\/1.1 4(21|00)/);
    },
  );

  test.each([['localhost:1'], ['127.0.0.1'], ['[::1]:7717'], ['10.0.0.1'], ['api.example.com']])(
    'with the Host %j is answered',
    async (host) => {
      const settings = { allowedHosts: ['api.example.com'], allowedOrigins: [], requestsPerMinute: 10 };
      const { url } = await start({ settings });
      expect(await raw(url, host)).toMatch(/^HTTP\/1.1 200/);
    },
  );

  test('of a page of another site is refused; pages of allowed origins may read', async () => {
    const origin = 'https://console.example.com';
    const settings = { allowedHosts: [], allowedOrigins: [origin], requestsPerMinute: 10 };
    const { call } = await start({ settings });
    const evil = { headers: { origin: 'https://evil.example' } };
    expect(await call('alice', 'GET', '/openapi.json', evil)).toMatchObject({
      status: 403,
      body: { code: 'http.origin' },
    });
    expect((await call('alice', 'OPTIONS', '/work', evil)).headers.get('access-control-allow-origin')).toBe(null);
    const asked = await call(null, 'OPTIONS', '/work', {
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    const none = { status: 404, body: { code: 'http.not_found' } };
    const allowed = await call('alice', 'GET', '/nothing', { headers: { origin } });
    expect(allowed).toMatchObject(none);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
  });

  test('too many in a minute are refused, for each person', async () => {
    const settings = { allowedHosts: [], allowedOrigins: [], requestsPerMinute: 3 };
    const { call } = await start({ settings });
    const path = '/work/01900000-0000-7000-8000-000000000000';
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await call('alice', 'GET', path)).status);
    expect(statuses).toEqual([404, 404, 404, 429]);
    const refused = await call('alice', 'GET', path);
    expect(refused.body).toMatchObject({ code: 'http.too_many', retryable: true });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call('bob', 'GET', path)).status).toBe(404);
  });
});

test('a limit fills up again with time', () => {
  let nowMs = 0;
  const limit = rateLimit(60, { monotonicMs: () => nowMs });
  for (let n = 0; n < 60; n++) limit.take('a');
  expect(() => limit.take('a')).toThrow('try again in 1 s');
  nowMs = 2000;
  limit.take('a');
  limit.take('a');
  expect(() => limit.take('a')).toThrow();
  limit.take('b');
});

describe('connections', () => {
  test('of slow strangers make room; health and people are answered', async () => {
    const { url, call } = await start({ maxConnections: 10 });
    const slow = await Promise.all(Array.from({ length: 10 }, () => connected(url)));
    for (const socket of slow) socket.write('GET /api/v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await call('alice', 'GET', '/work/01900000-0000-7000-8000-000000000000')).status).toBe(404);
    // At once, and not by the time limit of its request, which would be answered 408.
    expect(await closed(slow[0]!)).toBe('');
  });

  test('that send nothing after their headers are closed', { timeout: 20_000 }, async () => {
    const { url } = await start();
    const slow = await connected(url);
    slow.write('POST /api/v1/work HTTP/1.1\r\nhost: localhost\r\n');
    expect(await closed(slow)).toContain('408');
  });
});

function head(token: string, more: string): string {
  return `POST /api/v1/work HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n${more}\r\n\r\n`;
}

async function raw(url: string, host: string): Promise<string> {
  const socket = await connected(url);
  socket.write(`GET /api/v1/openapi.json HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  return closed(socket);
}

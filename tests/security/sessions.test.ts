/** The promise: nobody but a page of this server, in the browser that logged in, acts with a session. */
import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { revokeToken } from '../../src/features/people/store.ts';
import { appendLedger } from '../../src/store/transcript/ledger.ts';
import { type TestApi, testApi } from '../support/api.ts';
import { type Browser, beginSession, browserOf, logIn } from '../support/browser.ts';
import { createPerson } from '../support/people.ts';

const { start, owner } = testApi();
const FRIEND = 'https://friend.example';
const settings = { allowedHosts: ['console.example.com'], allowedOrigins: [FRIEND], requestsPerMinute: 100_000 };
const PAUSE = { body: { faculty: 'nobody' } } as const;

async function operator(api: TestApi): Promise<Browser> {
  await createPerson(owner(), 'olga', 'operator');
  return logIn(api, { token: await api.tokenOf('olga') });
}

test('a change needs the CSRF token of its session', async () => {
  const api = await start();
  const [browser, other] = [await operator(api), await operator(api)];
  for (const wrong of [null, '', 'x', other.csrf, `${browser.csrf} `.repeat(2), browser.csrf.slice(1)]) {
    for (const [method, path, more] of [
      ['POST', '/pauses', PAUSE],
      ['DELETE', '/pauses/nobody', {}],
      ['DELETE', '/session', {}],
    ] as const) {
      const answer = await browser.call(method, path, { ...more, headers: { 'x-animus-csrf': wrong } });
      expect(answer).toMatchObject({ status: 403, body: { code: 'http.csrf' } });
    }
  }
  expect((await browser.call('POST', '/pauses', PAUSE)).status).toBe(201);
  expect((await browser.call('DELETE', '/pauses/nobody')).status).toBe(200);
});

/** What browsers say of requests that no page of this server sends. */
const FOREIGN: readonly Readonly<Record<string, string | null>>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': 'cross-site', origin: 'null' },
  { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
  { 'sec-fetch-site': 'cross-site', origin: FRIEND },
  { 'sec-fetch-site': null },
  { 'sec-fetch-site': null, origin: 'null' },
  { 'sec-fetch-site': null, origin: 'http://127.0.0.1:1' },
  { 'sec-fetch-site': null, origin: FRIEND },
];

test('the cookie counts in no request of a page of another site, whether it reads or changes', async () => {
  const api = await start({ settings });
  const browser = await operator(api);
  const [before] = await owner().query(`select count(*)::int as n from animus.pauses`);
  for (const headers of FOREIGN) {
    for (const [method, path, more] of [
      ['GET', '/session', {}],
      ['GET', '/work', {}],
      ['GET', '/events', {}],
      ['POST', '/pauses', PAUSE],
      ['POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'ping' } }],
    ] as const) {
      const { status } = await browser.call(method, path, { ...more, headers });
      expect([401, 403], `${method} ${path} ${JSON.stringify(headers)}`).toContain(status);
    }
  }
  expect(await owner().query(`select count(*)::int as n from animus.pauses`)).toEqual([before]);
  // Pages of this server, in browsers that say it in one way or the other.
  const own = { 'sec-fetch-site': null, origin: api.url };
  for (const headers of [{}, { origin: api.url }, own]) {
    expect((await browser.call('GET', '/session', { headers })).status).toBe(200);
    expect((await browser.call('POST', '/pauses', { ...PAUSE, headers })).status).toBe(201);
  }
});

test('no page of another site is allowed to send the CSRF token, or to log a browser in', async () => {
  const api = await start({ settings });
  const asked = await api.call(null, 'OPTIONS', '/pauses', {
    headers: { origin: FRIEND, 'access-control-request-method': 'POST' },
  });
  expect(asked.headers.get('access-control-allow-headers')).not.toMatch(/csrf|cookie/i);
  expect(asked.headers.get('access-control-allow-credentials')).toBe(null);
  const token = await api.tokenOf('mallory');
  for (const headers of FOREIGN) {
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== null)) as Record<
      string,
      string
    >;
    if (Object.keys(sent).length === 0) continue;
    const answer = await beginSession(api, { token }, sent);
    expect([answer.status, answer.body.code, answer.headers.get('set-cookie')]).toEqual([403, 'http.origin', null]);
  }
  // A form can send no JSON.
  const form = await api.call(null, 'POST', '/sessions', {
    body: JSON.stringify({ token }),
    headers: { 'content-type': 'text/plain', 'sec-fetch-site': 'same-origin' },
  });
  expect(form.status).toBe(415);
});

test('an Authorization header is judged alone, whatever cookie comes with it', async () => {
  const api = await start();
  const browser = await operator(api);
  const as = (authorization: string) => ({ headers: { authorization, 'x-animus-csrf': null } });
  expect((await browser.call('GET', '/me', as('Bearer animus_wrong'))).status).toBe(401);
  expect((await browser.call('GET', '/me', as('Basic b2xnYTp4'))).status).toBe(401);
  const alice = as(`Bearer ${await api.tokenOf('alice')}`);
  expect((await browser.call('GET', '/me', alice)).body).toMatchObject({ person: 'alice' });
  expect((await browser.call('POST', '/work', { body: { faculty: 'engineer' }, ...alice })).status).toBe(201);
  expect((await browser.call('GET', '/session', alice)).status).toBe(404);
});

test('a session that somebody has put into the browser is replaced by a login, and does not become theirs', async () => {
  const api = await start();
  const planted = await logIn(api, { token: await api.tokenOf('mallory') });
  const token = await api.tokenOf('victor');
  const answer = await beginSession(api, { token }, { 'sec-fetch-site': 'same-origin', cookie: planted.cookie });
  const victor = browserOf(api, answer);
  expect(victor.cookie).not.toBe(planted.cookie);
  expect((await planted.call('GET', '/me')).body).toMatchObject({ person: 'mallory' });
  expect((await victor.call('GET', '/me')).body).toMatchObject({ person: 'victor' });
  // A cookie of a sibling host stands beside it: which one is ours?
  const both = `${planted.cookie}; ${victor.cookie}`;
  for (const cookie of [both, `${victor.cookie}; ${victor.cookie}`])
    expect((await victor.call('GET', '/me', { headers: { cookie } })).status).toBe(401);
  const others = `theme=dark; ${victor.cookie}; animus_session_2=x`;
  expect((await victor.call('GET', '/me', { headers: { cookie: others } })).status).toBe(200);
});

test('a name that DNS leads to this server is refused, with the cookie too', async () => {
  const api = await start({ settings });
  const browser = await operator(api);
  const ask = async (host: string, more: Record<string, string> = {}) => {
    const headers = { host, cookie: browser.cookie, 'sec-fetch-site': 'same-origin', ...more };
    const sent = request(`${api.url}/api/v1/me`, { headers }).end();
    const [answer] = await once(sent, 'response');
    answer.resume();
    return answer.statusCode as number;
  };
  expect(await ask('evil.example')).toBe(421);
  expect(await ask('console.example.com')).toBe(200);
  const port = new URL(api.url).port;
  expect(await ask(`evil.example:${port}`, { origin: `http://evil.example:${port}` })).toBe(421);
});

test('behind a TLS proxy, the cookie is Secure and the own origin is https; a path prefix stays in front', async () => {
  const api = await start({ settings: { ...settings, behindTls: true } });
  const begun = await beginSession(api, { token: await api.tokenOf('alice') });
  const attributes = begun.headers.get('set-cookie')!.split('; ').slice(1);
  // Without Path, the browser takes the directory of the path that it knows: /prefix/api/v1.
  expect(attributes.filter((each) => !each.startsWith('Max-Age='))).toEqual(['HttpOnly', 'SameSite=Strict', 'Secure']);
  const ask = async (origin: string) => {
    const headers = { host: 'console.example.com', cookie: begun.headers.get('set-cookie')!.split(';')[0]!, origin };
    const sent = request(`${api.url}/api/v1/me`, { headers }).end();
    const [answer] = await once(sent, 'response');
    answer.resume();
    return answer.statusCode as number;
  };
  expect(await ask('https://console.example.com')).toBe(200);
  for (const origin of ['http://console.example.com', 'https://console.example.com:444', 'https://127.0.0.1'])
    expect(await ask(origin)).toBe(403);
});

test('a WebSocket needs the cookie and an Origin of this server', async () => {
  const api = await start({ settings });
  const browser = await operator(api);
  const open = async (headers: Record<string, string>) => {
    const socket = new WebSocket(`${api.url.replace('http', 'ws')}/api/v1/socket`, ['animus.v1'], { headers });
    return new Promise<string>((done) => {
      socket.once('open', () => done('open'));
      socket.once('error', (error) => done(/\d{3}/.exec(error.message)?.[0] ?? error.message));
    }).finally(() => socket.terminate());
  };
  const { cookie } = browser;
  expect(await open({ cookie, origin: api.url })).toBe('open');
  expect(await open({ cookie, origin: api.url, 'sec-fetch-site': 'same-origin' })).toBe('open');
  expect(await open({ origin: api.url })).toBe('401');
  expect(await open({ cookie })).toBe('401');
  expect(await open({ cookie, 'sec-fetch-site': 'same-origin' })).toBe('401');
  expect(await open({ cookie, origin: FRIEND })).toBe('401');
  expect(await open({ cookie, origin: FRIEND, 'sec-fetch-site': 'cross-site' })).toBe('401');
  for (const origin of ['https://evil.example', 'null', api.url.replace('127.0.0.1', 'localhost')])
    expect(await open({ cookie, origin })).toBe('403');
});

test('a session that ends takes its open stream and its WebSocket with it', async () => {
  const api = await start();
  const browser = await operator(api);
  const { body: item } = await browser.call('POST', '/work', { body: { faculty: 'engineer' } });
  const leaving = new AbortController();
  const stream = await fetch(`${api.url}/api/v1/work/${item.id}/events`, {
    headers: { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' },
    signal: leaving.signal,
  });
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/api/v1/socket`, ['animus.v1'], {
    headers: { cookie: browser.cookie, origin: api.url },
  });
  await once(socket, 'open');
  const heard: string[] = [];
  socket.on('message', (data) => heard.push((data as Buffer).toString()));
  socket.send(JSON.stringify({ type: 'subscribe', name: 'it', work: item.id }));
  await expect.poll(() => heard.join()).toContain('"queued"');
  await revokeToken(owner(), browser.id);
  await appendLedger(owner(), item.id, 'note', 'not for revoked eyes');
  let read = '';
  for await (const piece of stream.body!.pipeThrough(new TextDecoderStream())) read += piece;
  leaving.abort();
  expect(read).toContain('queued');
  expect(read).not.toContain('revoked eyes');
  await expect.poll(() => heard.join()).toContain('http.unauthorized');
  expect(heard.join()).not.toContain('revoked eyes');
  socket.terminate();
});

test('an answer with a secret that is kept for a repetition is sealed with the secret of the session', async () => {
  const api = await start();
  const [one, other] = [await operator(api), await operator(api)];
  const make = (browser: Browser) =>
    browser.call('POST', '/tokens', { body: { label: 'x' }, headers: { 'idempotency-key': 'sealed' } });
  const first = await make(one);
  expect((await make(one)).body).toEqual(first.body);
  expect(await make(other)).toMatchObject({ status: 422, body: { code: 'http.key_reused' } });
});

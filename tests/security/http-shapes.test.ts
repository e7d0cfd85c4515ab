/** Requests of a form that no client of ours sends: refused or answered harmlessly, and the server goes on. */
import { describe, expect, test } from 'vitest';
import { testApi } from '../support/api.ts';
import { closed, connected } from '../support/raw-socket.ts';

const { start } = testApi();

const BODY = '{"faculty":"engineer"}';

/** All answers on one connection to what is sent, with `TOKEN` replaced. */
async function sent(text: string): Promise<string> {
  const { url, tokenOf } = await start();
  const socket = await connected(url);
  socket.write(text.replaceAll('TOKEN', await tokenOf('alice')));
  return closed(socket);
}

const statuses = (answer: string) => [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
const post = (headers: string, body: string) =>
  `POST /api/v1/work HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer TOKEN\r\ncontent-type: application/json\r\n${headers}\r\n\r\n${body}`;
const SMUGGLED = 'GET /api/v1/status HTTP/1.1\r\nhost: localhost\r\n\r\n';

describe('a request whose end is doubtful is refused, and nothing after it is read', () => {
  test.each([
    [
      'Content-Length and Transfer-Encoding',
      post('content-length: 5\r\ntransfer-encoding: chunked', `0\r\n\r\n${SMUGGLED}`),
    ],
    ['two lengths', post('content-length: 22\r\ncontent-length: 0', BODY + SMUGGLED)],
    ['a length with a sign', post('content-length: +22', BODY + SMUGGLED)],
    ['an obscured Transfer-Encoding', post('transfer-encoding: xchunked', `0\r\n\r\n${SMUGGLED}`)],
    ['chunked twice', post('transfer-encoding: chunked, chunked', `0\r\n\r\n${SMUGGLED}`)],
    ['a chunk size that is not a number', post('transfer-encoding: chunked', `zz\r\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`)],
    ['a chunk size that is too large', post('transfer-encoding: chunked', `${'f'.repeat(17)}\r\n${BODY}\r\n0\r\n\r\n`)],
    ['a chunk size with a sign', post('transfer-encoding: chunked', `-1\r\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`)],
    ['a folded header', post('x-a: 1\r\n  transfer-encoding: chunked\r\ncontent-length: 22', BODY)],
    ['a space before the colon', post('transfer-encoding : chunked', `0\r\n\r\n${SMUGGLED}`)],
    ['a bare line feed in the head', post('x-a: 1\ntransfer-encoding: chunked', `0\r\n\r\n${SMUGGLED}`)],
    ['a NUL in a header', post('x-a: a\0b\r\ncontent-length: 22', BODY)],
    ['no Host', 'GET /api/v1/openapi.json HTTP/1.1\r\n\r\n'],
    ['a header of 64 KiB', post(`x-a: ${'a'.repeat(65_536)}\r\ncontent-length: 22`, BODY)],
    ['5,000 headers', post(`${'a: 1\r\n'.repeat(5000)}content-length: 22`, BODY)],
    ['a method that does not exist', 'BREW /api/v1/work HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['another protocol', 'GET /api/v1/work HTTP/3.0\r\nhost: localhost\r\n\r\n'],
  ])('%s', async (_, request) => {
    const answered = statuses(await sent(request));
    expect(answered.length).toBeLessThanOrEqual(1);
    for (const status of answered) expect([400, 405, 413, 431, 501, 505]).toContain(status);
  });

  test.each(['host: evil.example', 'authorization: Bearer other', 'content-type: text/plain', 'idempotency-key: b'])(
    '%s appears more than once',
    async (header) => {
      const request = post(`idempotency-key: a\r\n${header}\r\nconnection: close\r\ncontent-length: 22`, BODY);
      const answer = await sent(request);
      expect(statuses(answer)).toEqual([400]);
      expect(answer).toMatch(/appears more than once|Bad Request/);
    },
  );
});

test('requests that come at once are answered in their order', async () => {
  const get = (path: string, more = '') =>
    `GET /api/v1${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer TOKEN\r\n${more}\r\n`;
  const answer = await sent(
    get('/work') + post('content-length: 22', BODY) + get('/nothing') + get('/me', 'connection: close\r\n'),
  );
  expect(statuses(answer)).toEqual([200, 201, 404, 200]);
  expect(answer.indexOf('"items"')).toBeLessThan(answer.indexOf('"merged_into"'));
  expect(answer).toContain('"person":"alice"');
});

test.each([
  ['http://evil.example/api/v1/work', 404],
  ['//evil.example/api/v1/work', 404],
  ['/api/v1/work/..%2f..%2f..%2fhealthz', 400],
  ['/api/v1/work/%2e%2e/%2e%2e/%2e%2e/healthz', 404],
  ['/api/v1/../../healthz', 404],
  ['/api/v1//work', 404],
  ['/api/v1/WORK', 404],
  ['/api/v1/work/', 404],
  ['/api/v1/work;a=b', 404],
  ['/api/v1/work/a%2Fb', 400],
  ['/api/v1/work/a%00b', 400],
  ['/api/v1/work/%c0%ae%c0%ae', 400],
  ['/api/v1/work/%ff%fe', 400],
  ['/api/v1/work/%252e%252e', 400],
  ['/api/v1/work/%zz', 400],
  ['/api/v1/work/%', 400],
  ['/api/v1/skills/%2e%2e', 404],
  ['/api/v1/skills/a%2F..%2F..%2Fstatus', 404],
  ['/api/v1/work?limit=1&limit=2', 400],
  ['/api/v1/work?state=%00', 400],
  ['/api/v1/work?__proto__=1', 400],
  ['/api/v1/work?constructor=1', 400],
  [`/api/v1/work/${'a'.repeat(8000)}`, 400],
])('the target %s is answered %i', async (target, status) => {
  const answer = await sent(
    `GET ${target} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer TOKEN\r\nconnection: close\r\n\r\n`,
  );
  expect(statuses(answer)).toEqual([status]);
  expect(answer).not.toMatch(/"alive"|"items":\[/);
});

test.each([
  ['HEAD', '/work', 200],
  ['HEAD', '/nothing', 404],
  ['OPTIONS', '/work', 405],
  ['TRACE', '/work', 405],
  ['PUT', '/work', 405],
  ['DELETE', '/work', 405],
  ['CONNECT', '/work', null],
])('%s %s is answered %s', async (method, path, status) => {
  const answer = await sent(
    `${method} /api/v1${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer TOKEN\r\nconnection: close\r\n\r\n`,
  );
  expect(statuses(answer)).toEqual(status === null ? [] : [status]);
  if (status === 405) expect(answer).toMatch(/^allow: POST, GET, HEAD\r$/im);
  if (method === 'HEAD') expect(answer.split('\r\n\r\n')[1]).toBe('');
});

test('what a client would rather accept changes nothing: answers are JSON that no browser takes for a page', async () => {
  const { call } = await start();
  for (const accept of ['text/html', 'application/xml;q=1, */*;q=0', 'nonsense']) {
    const answer = await call('alice', 'GET', '/work', { headers: { accept, 'accept-encoding': 'gzip, br' } });
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-encoding')]).toEqual([
      200,
      'application/json; charset=utf-8',
      null,
    ]);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

describe('JSON that programs understand differently', () => {
  test.each([
    ['{"faculty":"engineer","faculty":"writer"}', 'more than once'],
    ['{"faculty":"engineer","params":{"a":1,"\\u0061":2}}', 'more than once'],
    ['{"faculty":"engineer","params":{"__proto__":{"admin":true}}}', '__proto__'],
    ['{"__proto__":{"faculty":"engineer"}}', '__proto__'],
    ['{"faculty":"engineer","params":{"\\u005f_proto__":1}}', '__proto__'],
    ['{"faculty":"engineer","params":{"n":9007199254740993}}', 'not exact'],
    ['{"faculty":"engineer","params":{"n":-9007199254740993}}', 'not exact'],
    ['{"faculty":"engineer","params":{"n":1e999}}', 'not exact'],
    ['{"faculty":"engineer","description":"\\ud800"}', 'surrogate'],
    ['{"faculty":"engineer","params":{"\\udc00":1}}', 'surrogate'],
    ['{"faculty":"engineer","params":{"a":"b"}} {}', 'not JSON'],
    ['{"faculty":"engineer",}', 'not JSON'],
    ["{'faculty':'engineer'}", 'not JSON'],
    ['{"faculty":"engineer","params":{"n":NaN}}', 'not JSON'],
  ])('is refused: %s', async (body, detail) => {
    const { call } = await start();
    expect(await call('alice', 'POST', '/work', { body })).toMatchObject({
      status: 400,
      body: { code: 'http.invalid', detail: expect.stringContaining(detail) },
    });
  });

  test('what looks like it and is harmless is kept as it is', async () => {
    const { call } = await start();
    const params = { constructor: { prototype: 1 }, toString: 'x', n: 9007199254740991, e: 1e21, '😀': '\u{1F600}' };
    const body = { faculty: 'engineer', params };
    const { body: item } = await call('alice', 'POST', '/work', { body });
    expect((await call('alice', 'GET', `/work/${item.id}`)).body.params).toEqual(params);
    expect(({} as Record<string, unknown>)['prototype']).toBe(undefined);
  });
});

/** What a call sends, what it returns, when it is sent again, and what it throws. */
import { expect, test } from 'vitest';
import { ApiError, attachment, createClient } from '../../src/client/client.ts';
import { breaks, json, problem, startFakeServer } from './fake-server.ts';

const submitted = { id: 'a', state: 'queued', merged_into: null };

test('a call sends path, query, body and token', async () => {
  const { client, requests } = await startFakeServer([json(submitted)]);
  await client.record.readLedger('a/b', { type: 'finding', after: undefined, limit: 3 }).page();
  await client.work.cancel('x', { reason: 'no' });
  await client.work.retry('x');
  await client.work.submit({ faculty: 'engineer', run_at: undefined }, { idempotencyKey: 'one' });
  expect(requests.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['GET', '/api/v1/work/a%2Fb/ledger?type=finding&limit=3', ''],
    ['POST', '/api/v1/work/x/cancel', '{"reason":"no"}'],
    ['POST', '/api/v1/work/x/retry', '{}'],
    ['POST', '/api/v1/work', '{"faculty":"engineer"}'],
  ]);
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill('Bearer the-token'));
  expect(requests[3]!.headers['idempotency-key']).toBe('one');
});

test('without a token a call has no Authorization header: a browser sends the cookie of its session', async () => {
  const sent: Headers[] = [];
  const fake = async (_: string, { headers }: RequestInit) => {
    sent.push(new Headers(headers));
    return Response.json({});
  };
  await createClient({ baseUrl: 'http://h:1', token: null, fetch: fake }).operate.status();
  expect(sent.map((headers) => headers.has('authorization'))).toEqual([false]);
});

test.each(['http://h:1', 'http://h:1/', 'http://h:1/api/v1', new URL('http://h:1/api/v1/')])(
  'baseUrl %s',
  async (baseUrl) => {
    const urls: unknown[] = [];
    const fake = async (url: string) => {
      urls.push(url);
      return Response.json({});
    };
    await createClient({ baseUrl, token: 'x', fetch: fake }).operate.status();
    expect(urls).toEqual(['http://h:1/api/v1/status']);
  },
);

test.each(['file:///etc', 'nothing', 'http://me:secret@h', 'http://h/?x=1'])('baseUrl %s is refused', (baseUrl) => {
  expect(() => createClient({ baseUrl, token: 'x' })).toThrow(/^baseUrl is not/);
});

test('a POST is sent again with its key after faults that pass', async () => {
  const { client, requests } = await startFakeServer([
    breaks,
    problem(503, 'http.starting'),
    problem(429, 'http.too_many', { 'retry-after': '0' }),
    json(submitted, 201),
  ]);
  expect(await client.work.submit({ faculty: 'engineer' })).toEqual(submitted);
  expect(requests.length).toBe(4);
  expect(requests[0]!.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  await client.work.submit({ faculty: 'engineer' });
  expect(requests[4]!.headers['idempotency-key']).not.toBe(requests[0]!.headers['idempotency-key']);
});

test('an answer that breaks off is asked for again', async () => {
  const { client, requests } = await startFakeServer([
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"id":', () => response.destroy());
    },
    json(submitted),
  ]);
  expect(await client.work.submit({ faculty: 'engineer' })).toEqual(submitted);
  expect(requests.length).toBe(2);
});

test('errors have code, status, remedy and request id, and are not sent again', async () => {
  const { client, requests } = await startFakeServer([problem(404, 'work.not_found')]);
  const error = await client.work.show('x').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    code: 'work.not_found',
    status: 404,
    message: 'it is work.not_found',
    requestId: 'request-1',
    remedy: expect.stringContaining('check the id'),
    problem: { title: 'x' },
    retryable: false,
  });
  expect(requests.length).toBe(1);
});

test('gives up after `retries`, and at once if it would have to wait for long', async () => {
  const { client, requests } = await startFakeServer([breaks]);
  await expect(client.work.show('x', { retries: 1 })).rejects.toMatchObject({
    code: 'client.unreachable',
    status: null,
    cause: expect.any(TypeError),
    retryable: true,
  });
  expect(requests.length).toBe(2);
  const busy = await startFakeServer([problem(429, 'http.too_many', { 'retry-after': '3600' })]);
  await expect(busy.client.work.show('x')).rejects.toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
  expect(busy.requests.length).toBe(1);
});

test('a signal ends a call, also one that waits to be sent again; a time-out is an error of its own', async () => {
  const silent = () => undefined;
  const { client } = await startFakeServer([silent]);
  const leaving = new AbortController();
  const waiting = client.work.show('x', { signal: leaving.signal });
  leaving.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(client.work.show('x', { timeoutMs: 20, retries: 0 })).rejects.toMatchObject({ code: 'client.timeout' });
  const busy = await startFakeServer([problem(503, 'http.starting', { 'retry-after': '30' })]);
  const soon = new AbortController();
  const later = busy.client.work.show('x', { signal: soon.signal });
  await expect.poll(() => busy.requests.length).toBe(1);
  soon.abort(new Error('enough'));
  await expect(later).rejects.toThrow('enough');
});

test('a token can be a function, and a token that is none never reaches a message', async () => {
  let count = 0;
  const { client, requests } = await startFakeServer([breaks, json({})], { token: async () => `token-${++count}` });
  await client.operate.status();
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  const broken = createClient({ baseUrl: 'http://127.0.0.1:1', token: 'se cret\n' });
  const error = (await broken.operate.status().catch((thrown: unknown) => thrown)) as ApiError;
  expect(error.code).toBe('client.invalid');
  expect(JSON.stringify([error, error.message, error.stack])).not.toContain('cret');
});

test('a list is read page by page, as far as the loop goes', async () => {
  const page = (items: string[], next: string | null) => json({ items, next });
  const { client, requests } = await startFakeServer([page(['a', 'b'], 'b'), page(['c'], 'c'), page([], null)]);
  const got: unknown[] = [];
  for await (const item of client.work.list({ limit: 2 })) {
    got.push(item);
    if (got.length === 2) expect(requests.length).toBe(1);
  }
  expect(got).toEqual(['a', 'b', 'c']);
  expect(requests.map(({ path }) => path.split('?')[1])).toEqual(['limit=2', 'limit=2&after=b', 'limit=2&after=c']);
});

test('attachments are base64, of bytes, blobs and texts of any size', async () => {
  expect(await attachment('a', 'ü')).toEqual({ name: 'a', content: 'w7w=' });
  const bytes = new Uint8Array(100_001).map((_, index) => index);
  const expected = { name: 'b', content: Buffer.from(bytes).toString('base64') };
  expect(await attachment('b', bytes)).toEqual(expected);
  expect(await attachment('b', bytes.buffer)).toEqual(expected);
  expect(await attachment('b', new Blob([bytes]))).toEqual(expected);
});

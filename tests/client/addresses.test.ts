/** Several addresses: what is sent to the next one after a failure, and what is not. */
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { testApi } from '../support/api.ts';
import { breaks, collect, event, type FakeAnswer, json, problem, startFakeServer, stream } from './fake-server.ts';

const { start, owner } = testApi();
const over: FakeAnswer = (response) => void response.writeHead(204).end();

async function two(first: readonly FakeAnswer[], second: readonly FakeAnswer[], options: object = {}) {
  const [a, b] = [await startFakeServer(first), await startFakeServer(second)];
  return { a, b, client: createClient({ baseUrl: [a.url, b.url], token: 't', ...options }) };
}

test('a server that fails is left at once, and the next one is used from then on', async () => {
  const { a, b, client } = await two([breaks], [json({ ok: 1 })]);
  expect(await client.operate.status()).toEqual({ ok: 1 });
  expect(await client.operate.status()).toEqual({ ok: 1 });
  expect([a.requests.length, b.requests.length]).toEqual([1, 2]);
});

test('a request that changes something takes its key to the next server', async () => {
  const { a, b, client } = await two([problem(503, 'http.starting')], [json({ id: 'x' }, 201)]);
  await client.work.submit({ faculty: 'engineer' });
  expect(b.requests[0]!.headers['idempotency-key']).toBe(a.requests[0]!.headers['idempotency-key']);
});

test('its effect happens once, also where the first server had it and its answer was lost', async () => {
  const [first, second] = [await start(), await start()];
  const client = createClient({
    baseUrl: [first.url, second.url],
    token: await first.tokenOf('alice'),
    async fetch(url, init) {
      const response = await fetch(url, init);
      if (!url.startsWith(first.url)) return response;
      await response.arrayBuffer();
      throw new TypeError('fetch failed');
    },
  });
  const { id } = await client.work.submit({ faculty: 'twice' });
  expect(await owner().query(`select id from animus.work_items where faculty = 'twice'`)).toEqual([{ id }]);
});

test('all are tried before anything is waited for; then it gives up', async () => {
  const { a, b, client } = await two([breaks], [problem(502, 'x')], { retries: 3 });
  await expect(client.operate.status()).rejects.toMatchObject({ status: 502 });
  expect([a.requests.length, b.requests.length]).toEqual([2, 2]);
});

test.each([
  [429, 'http.too_many'],
  [404, 'work.not_found'],
  [401, 'http.unauthorized'],
])('%i is about the request: no other server is asked', async (status, code) => {
  const { b, client } = await two([problem(status, code, { 'retry-after': '0' })], [json({})], { retries: 1 });
  await expect(client.work.show('x')).rejects.toMatchObject({ status, code });
  expect(b.requests.length).toBe(0);
});

test('a stream goes on at the next server, after the last event', async () => {
  const { a, b, client } = await two([stream([event('1')], 'cut'), breaks], [stream([event('2')], 'cut'), over]);
  const events = await collect(client.work.events('x'));
  expect(events.map((one) => 'id' in one && one.id)).toEqual(['1', '2']);
  expect(b.requests.map(({ headers }) => headers['last-event-id'])).toEqual(['1', '2']);
  expect(a.requests.length).toBe(2);
});

test('a list of none, or with an address that is none, is refused', () => {
  expect(() => createClient({ baseUrl: [], token: 't' })).toThrow('baseUrl is an empty list');
  expect(() => createClient({ baseUrl: ['http://h', 'ftp://h'], token: 't' })).toThrow(/^baseUrl is not/);
});

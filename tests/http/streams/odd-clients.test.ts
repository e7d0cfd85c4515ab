/** Clients of streams that close half of their connection, send several requests at once, ask only for the head, or leave in the middle of it. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { cancelWork } from '../../../src/store/work/operate.ts';
import { testApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { liveProbe } from '../../support/live-probe.ts';
import { connected } from '../../support/raw-socket.ts';

const { start, owner } = testApi();

/** The API, one item, and how many things are watched. */
async function serve() {
  const probe = liveProbe();
  const api = await start({ routes: probe.routes });
  const { body } = await api.call('ada', 'POST', '/work', { body: { faculty: 'clerk', description: 'count' } });
  const path = `/api/v1/work/${body.id}/events`;
  const authorization = `authorization: Bearer ${await api.tokenOf('ada')}`;
  const get = (what = path, more = '', version = '1.1', method = 'GET') =>
    `${method} ${what} HTTP/${version}\r\nhost: 127.0.0.1\r\n${authorization}\r\n${more}\r\n`;
  return {
    api,
    id: body.id as string,
    path,
    /** Of an answer that contains the name of its faculty. */
    shown: `/api/v1/work/${body.id}`,
    get,
    watched: (count: number) => probe.watched(api, count),
  };
}

/** What has come so far. */
function textOf(socket: Socket): { readonly text: string } {
  const got = { text: '' };
  socket.on('data', (chunk: Buffer) => (got.text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  return got;
}

const has = (got: { readonly text: string }, part: string, times = 1) =>
  eventually(part, () => (got.text.split(part).length > times ? true : null));

test('a client that leaves at any byte of its request or of the answer leaves nothing behind', async () => {
  const { api, get, watched } = await serve();
  const request = get();
  for (let at = 0; at < 40; at++) {
    const socket = await connected(api.url);
    socket.on('error', () => undefined);
    socket.write(request);
    // After so many turns of the event loop; half of them reset the connection.
    for (let turn = 0; turn < at; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (at % 2 === 0) socket.resetAndDestroy();
    else socket.destroy();
  }
  await watched(0);
});

test('a client that closes its half of the connection gets no endless stream, and leaves nothing behind', async () => {
  const { api, get, watched } = await serve();
  const socket = await connected(api.url);
  const got = textOf(socket);
  socket.write(get());
  await has(got, '"live":true');
  await watched(1);
  socket.end();
  await watched(0);
  if (!socket.closed) await once(socket, 'close');
});

test('streams that are asked for at once on one connection all end when it closes', async () => {
  const { api, id, shown, get, watched } = await serve();
  const socket = await connected(api.url);
  const got = textOf(socket);
  socket.write(get() + get() + get());
  await has(got, '"live":true');
  await watched(1);
  socket.destroy();
  await watched(0);

  // One after the other, if they end.
  const again = await connected(api.url);
  const all = textOf(again);
  again.write(get() + get() + get());
  await has(all, '"live":true');
  await appendLedger(owner(), id, 'note', 'the news');
  await cancelWork(owner(), id, 'enough');
  await has(all, 'event: done', 3);
  expect(all.text.split('the news')).toHaveLength(4);
  expect(all.text.split('HTTP/1.1 200')).toHaveLength(4);
  expect(all.text.endsWith('0\r\n\r\n')).toBe(true);
  // The connection can still be used, also after 204.
  const last = [...all.text.matchAll(/^id: (.*)$/gm)].at(-1)![1];
  again.write(get(undefined, `last-event-id: ${last}\r\n`) + get(shown));
  await has(all, 'HTTP/1.1 204');
  await has(all, '"faculty"');
  again.destroy();
  await watched(0);
});

test('a client that asks for the head of a stream gets it, and can go on', async () => {
  const { api, shown, get, watched } = await serve();
  const socket = await connected(api.url);
  const got = textOf(socket);
  socket.write(get(undefined, '', '1.1', 'HEAD'));
  await has(got, '\r\n\r\n');
  expect(got.text).toMatch(/^HTTP\/1.1 200 .*text\/event-stream/s);
  socket.write(get(shown));
  await has(got, '"faculty"');
  await watched(0);
});

test.each([
  ['HTTP/1.0', '1.0', ''],
  ['HTTP/1.0 with keep-alive', '1.0', 'connection: keep-alive\r\n'],
  ['a client that takes gzip', '1.1', 'accept-encoding: gzip, br\r\n'],
  ['a request with a body', '1.1', 'content-length: 5\r\n\r\nhello'],
  ['a client that asks for another type', '1.1', 'accept: text/html\r\n'],
  ['a range', '1.1', 'range: bytes=0-9\r\n'],
  ['a client that expects to go on', '1.1', 'expect: 100-continue\r\n'],
])('the whole stream comes for %s', async (_, version, more) => {
  const { api, id, get, watched } = await serve();
  const socket = await connected(api.url);
  const got = textOf(socket);
  const request = get(undefined, more, version);
  socket.write(more.endsWith('hello') ? request.slice(0, -2) : request);
  await has(got, '"live":true');
  await appendLedger(owner(), id, 'note', 'the news');
  await has(got, 'the news');
  await cancelWork(owner(), id, 'enough');
  await has(got, 'event: done');
  expect(got.text).not.toMatch(/content-encoding/i);
  if (version === '1.0') {
    if (!socket.closed) await once(socket, 'close');
    expect(got.text).not.toMatch(/transfer-encoding/i);
    expect(got.text.endsWith('\n\n')).toBe(true);
  } else await has(got, '0\r\n\r\n');
  await watched(0);
});

test.each([
  ['of 10 KB', 'x'.repeat(10_000)],
  ['of another version', Buffer.from('{"v":9,"c":1,"w":"01234567"}').toString('base64url')],
  ['that is not text', '%00%ff%zz'],
  ['that is a number', '17'],
])('an id %s is refused, and the connection goes on', async (_, id) => {
  const { api, path, shown, get } = await serve();
  const socket = await connected(api.url);
  const got = textOf(socket);
  socket.write(get(undefined, `last-event-id: ${id}\r\n`) + get(`${path}?after=${id}`) + get(shown));
  await has(got, '"faculty"');
  expect([...got.text.matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) => status)).toEqual(['400', '400', '200']);
});

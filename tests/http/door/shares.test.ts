/** Who may use how many of the connections of a server. One with room for ten: nine for the streams of all, eight for those of one person. */
import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { limitConnections } from '../../../src/http/connections.ts';
import { SUBPROTOCOL } from '../../../src/http/sockets/socket-server.ts';
import { type TestApi, testApi } from '../../support/api.ts';

const { start } = testApi();
const MOST = 10;
const TOO_MANY = { code: 'http.too_many_streams', retryable: true };

test("the streams of one person leave room for that person's next request, and one too many gets 503", async () => {
  const api = await start({ maxConnections: MOST });
  const streams = [];
  for (let n = 0; n < 8; n++) streams.push(await stream(api, 'alice'));
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
  const refused = await api.call('alice', 'GET', '/events');
  expect(refused).toMatchObject({
    status: 503,
    body: {
      ...TOO_MANY,
      detail: expect.stringContaining('you have 8 streams open, the most that one person may have'),
    },
  });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect((await api.call('alice', 'GET', '/me')).status).toBe(200);
  streams[0]!.leave();
  await expect.poll(async () => (await stream(api, 'alice')).status).toBe(200);
});

test('a WebSocket is a stream, too', async () => {
  const api = await start({ maxConnections: MOST });
  const sockets = [];
  for (let n = 0; n < 4; n++) sockets.push(await socket(api, 'alice'));
  for (let n = 0; n < 4; n++) expect((await stream(api, 'alice')).status).toBe(200);
  expect(sockets.map(({ status }) => status)).toEqual(sockets.map(() => 101));
  expect(await socket(api, 'alice')).toEqual({ status: 503, retryAfter: '5', body: 'http.too_many_streams' });
  expect((await api.call('alice', 'GET', '/me')).status).toBe(200);
});

test('the streams of all people leave room for requests', async () => {
  const api = await start({ maxConnections: MOST });
  for (let n = 0; n < 9; n++) expect((await stream(api, n < 5 ? 'alice' : 'bob')).status).toBe(200);
  expect(await api.call('carol', 'GET', '/events')).toMatchObject({
    status: 503,
    body: { ...TOO_MANY, detail: expect.stringContaining('this server has 9 streams open') },
  });
  for (const person of ['alice', 'bob', 'carol']) expect((await api.call(person, 'GET', '/me')).status).toBe(200);
  expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
});

test('all connections of one person leave room for those of others', () => {
  const connections = limitConnections(MOST);
  const keep = (person: string) => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress: '10.0.0.1',
      destroy: () => {},
    }) as unknown as Socket;
    connections.add(socket);
    connections.keep(socket, person, 'answer');
    return socket;
  };
  const kept = Array.from({ length: 9 }, () => keep('alice'));
  const refused = {
    code: 'http.too_many',
    message: expect.stringContaining('you have 9 connections in use, the most that one person may have'),
  };
  expect(() => keep('alice')).toThrow(expect.objectContaining(refused));
  keep('bob');
  connections.free(kept[0]!);
  expect(() => keep('alice')).not.toThrow();
});

test('streams that are opened again and again leave their person its requests', async () => {
  const settings = { allowedHosts: [], allowedOrigins: [], requestsPerMinute: 3 };
  const api = await start({ settings });
  const statuses = [];
  for (let n = 0; n < 4; n++) statuses.push((await stream(api, 'alice')).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect((await api.call('alice', 'GET', '/me')).status).toBe(200);
});

/** Opens a stream of events until the test has finished. */
async function stream({ url, tokenOf }: TestApi, person: string): Promise<{ status: number; leave(): void }> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const headers = { authorization: `Bearer ${await tokenOf(person)}` };
  const { status } = await fetch(`${url}/api/v1/events`, { headers, signal: leaving.signal });
  return { status, leave: () => leaving.abort() };
}

/** Opens a WebSocket until the test has finished. */
async function socket({ url, tokenOf }: TestApi, person: string) {
  const opened = new WebSocket(`${url.replace('http', 'ws')}/api/v1/socket`, [
    SUBPROTOCOL,
    `token.${await tokenOf(person)}`,
  ]);
  onTestFinished(() => opened.terminate());
  // It is told of its end here, and not thrown.
  opened.on('error', () => undefined);
  const refused = once(opened, 'unexpected-response').then(async ([, response]) => {
    let body = '';
    for await (const part of response) body += String(part);
    return { status: response.statusCode as number, retryAfter: response.headers['retry-after'] as string, body };
  });
  return Promise.race([once(opened, 'open').then(() => ({ status: 101 })), refused]);
}

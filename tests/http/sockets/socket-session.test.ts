/** What a session does with clients that do not behave. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import { type Clock, systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createSocketServer } from '../../../src/http/sockets/socket-server.ts';
import type { Session } from '../../../src/http/sockets/socket-session.ts';
import { eventually } from '../../support/eventually.ts';
import { heldClock } from '../../support/held-clock.ts';

/** Each is answered with its name. */
const MESSAGE = frame(1, `{"name":"${'x'.repeat(50_000)}"}`);
const PINGS = Buffer.concat(Array.from({ length: 2000 }, () => frame(9, 'x'.repeat(100))));

test('a client that sends and does not read is not read any more, until it reads', async () => {
  const server = await serve();
  const socket = await upgraded(server.port);
  const read = await flood(server, socket, MESSAGE);
  expect(server.connection!.writableLength).toBeLessThan(4_000_000);
  socket.resume();
  await eventually('it goes on', () => (server.connection!.bytesRead > read ? true : null));
});

test('a client that floods it with pings and does not read fills no memory', async () => {
  const server = await serve();
  const socket = await upgraded(server.port);
  await flood(server, socket, PINGS);
  expect(server.connection!.writableLength).toBeLessThan(4_000_000);
});

test('a client that reads slowly stays connected, one that takes nothing for a minute does not', async () => {
  const clock = heldClock();
  const server = await serve({ clock });
  const socket = await upgraded(server.port);
  const fill = () => {
    socket.pause();
    return eventually('it is full', async () => {
      if (socket.writableLength === 0) for (let n = 0; n < 50; n++) socket.write(MESSAGE);
      await clock.pass(50);
      return server.connection!.writableLength > 262_144 ? true : null;
    });
  };
  for (let n = 0; n < 6; n++) {
    await fill();
    const before = server.connection!.writableLength;
    await clock.pass(15_000);
    expect(server.closed).toBe(false);
    socket.resume();
    await eventually('it took some', () => (server.connection!.writableLength < before ? true : null));
  }
  await fill();
  for (let n = 0; n < 6; n++) await clock.pass(15_000);
  await eventually('it is disconnected', () => (server.closed ? true : null));
});

test('a client that answers no ping is disconnected after a minute, one that does stays', async () => {
  const clock = heldClock();
  const server = await serve({ clock });
  const silent = await upgraded(server.port);
  silent.resume();
  for (let n = 0; n < 4; n++) await clock.pass(15_000);
  expect(server.closed).toBe(false);
  for (let n = 0; n < 3; n++) await clock.pass(15_000);
  await eventually('it is disconnected', () => (server.closed ? true : null));

  const client = new WebSocket(`ws://127.0.0.1:${server.port}`);
  await once(client, 'open');
  for (let n = 0; n < 10; n++) {
    const read = server.connection!.bytesRead;
    await clock.pass(15_000);
    await eventually('its answer', () => (server.connection!.bytesRead > read ? true : null));
  }
  expect(client.readyState).toBe(WebSocket.OPEN);
  client.terminate();
});

test('a socket whose token is not valid any more is closed within a minute, also without subscriptions', async () => {
  const clock = heldClock();
  const visitor = { proof: null, acceptedUntil: new Date(Date.now() - 1), person: 'ada', role: 'submitter' };
  const server = await serve({ clock, visitor: visitor as unknown as Session['visitor'] });
  const client = new WebSocket(`ws://127.0.0.1:${server.port}`);
  const told = once(client, 'message');
  const closed = once(client, 'close');
  await once(client, 'open');
  await clock.pass(60_000);
  expect(JSON.parse(String((await told)[0]))).toMatchObject({ type: 'error', code: 'http.unauthorized' });
  expect((await closed)[0]).toBe(1008);
});

test.each<[string, Buffer | Buffer[], number]>([
  ['a message of 1 MB', frame(1, 'x'.repeat(1_048_576)), 1009],
  [
    'a message of many small fragments that is too large',
    Array.from({ length: 300 }, (_, n) => frame(n === 0 ? 1 : 0, 'x'.repeat(1000), false)),
    1009,
  ],
  ['a text that is not UTF-8', frame(1, Buffer.of(0xff, 0xfe)), 1007],
  ['a frame without a mask', Buffer.of(0x81, 0x01, 0x78), 1002],
  ['an unknown kind of frame', frame(3, 'x'), 1002],
  ['reserved bits', Buffer.concat([Buffer.of(0xf1), frame(1, 'x').subarray(1)]), 1002],
  ['a fragment that continues nothing', frame(0, 'x'), 1002],
  ['a ping of 126 bytes', frame(9, 'x'.repeat(126)), 1002],
  ['bytes', frame(2, 'x'), 1003],
  ['a close without a reason', frame(8, ''), 1005],
])('%s is answered with a close code', async (_, frames, code) => {
  const server = await serve();
  const socket = await upgraded(server.port);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(Array.isArray(frames) ? Buffer.concat(frames) : frames);
  await eventually('a close frame', () => (Buffer.concat(chunks)[0] === 0x88 ? true : null));
  const got = Buffer.concat(chunks);
  expect(got[1]! >= 2 ? got.readUInt16BE(2) : 1005).toBe(code);
  socket.end(frame(8, ''));
  await eventually('it is over', () => (server.closed ? true : null));
});

test('what is refused because there is too much has the name of its message', async () => {
  const server = await serve({
    count: () => {
      throw new AnimusError('http.too_many', { detail: 'too many requests', seconds: 1 });
    },
  });
  const client = new WebSocket(`ws://127.0.0.1:${server.port}`);
  await once(client, 'open');
  client.send('{"type":"unsubscribe","name":"mine"}');
  const [message] = await once(client, 'message');
  expect(JSON.parse(String(message))).toMatchObject({ type: 'error', name: 'mine', code: 'http.too_many' });
  client.terminate();
});

test('nothing begins on a socket of a server that ends', async () => {
  const stopping = new AbortController();
  stopping.abort();
  let counted = 0;
  const server = await serve({ signal: stopping.signal, count: () => void counted++ });
  const client = new WebSocket(`ws://127.0.0.1:${server.port}`);
  const closed = once(client, 'close');
  await once(client, 'open');
  client.send('{"type":"subscribe","name":"all"}');
  expect((await closed)[0]).toBe(1001);
  expect(counted).toBe(0);
});

/** Sends the frames as often as the server reads them, and reads nothing. Returns how much was read when the server had stopped to read. */
async function flood(server: Served, socket: Socket, frames: Buffer): Promise<number> {
  socket.pause();
  let last = -1;
  let same = 0;
  return eventually('the server has stopped to read', () => {
    while (socket.writableLength < 2_000_000 && !socket.destroyed) socket.write(frames);
    const now = server.connection!.bytesRead;
    same = now === last ? same + 1 : 0;
    last = now;
    return same === 6 ? now : null;
  });
}

interface Served {
  readonly port: number;
  /** The newest, on the server's side. */
  readonly connection: Socket | null;
  /** The newest session is over. */
  readonly closed: boolean;
}

async function serve(more: Partial<Omit<Session, 'services'>> & { readonly clock?: Clock } = {}): Promise<Served> {
  const { clock = systemClock, ...session } = more;
  const sockets = createSocketServer();
  const server = createServer();
  let connection: Socket | null = null;
  let closed = false;
  server.on('upgrade', (request, socket, head) => {
    connection = request.socket;
    closed = false;
    socket.once('close', () => (closed = true));
    sockets.accept(request, socket, head, {
      visitor: { scopes: [] } as unknown as Session['visitor'],
      services: {
        clock,
        db: { transaction: async (work: (tx: object) => unknown) => work({ query: async () => [] }) },
      } as unknown as Session['services'],
      signal: new AbortController().signal,
      showError: (error) => ({
        code: error instanceof AnimusError ? error.code : 'internal.bug',
        detail: 'x'.repeat(100),
      }),
      count: () => undefined,
      ...session,
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    connection?.destroy();
    await sockets.stop();
    server.close();
    server.closeAllConnections();
  });
  return {
    port: (server.address() as AddressInfo).port,
    get connection() {
      return connection;
    },
    get closed() {
      return closed;
    },
  };
}

/** A bare connection that speaks WebSocket. */
async function upgraded(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(
    'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const [head] = await once(socket, 'data');
  expect(String(head)).toMatch(/^HTTP\/1.1 101 /);
  return socket;
}

/** A masked frame (RFC 6455, 5.2); the mask is zero. */
function frame(opcode: number, payload: string | Buffer, final = true): Buffer {
  const body = Buffer.from(payload);
  const head = Buffer.alloc(body.length < 126 ? 2 : body.length < 65_536 ? 4 : 10);
  head.writeUInt8((final ? 0x80 : 0) | opcode);
  head.writeUInt8(0x80 | (head.length === 2 ? body.length : head.length === 4 ? 126 : 127), 1);
  if (head.length === 4) head.writeUInt16BE(body.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(body.length), 2);
  return Buffer.concat([head, Buffer.alloc(4), body]);
}

import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import type { Clock } from '../../../src/core/lifecycle/clock.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { type FramesFor, sendEvents } from '../../../src/http/events/event-stream.ts';
import { hintFrame } from '../../../src/http/events/frame.ts';
import { eventually } from '../../support/eventually.ts';
import { heldClock } from '../../support/held-clock.ts';

let server: Server | null = null;
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  if (server) await once(server, 'close');
  server = null;
});

/** One that is yielded, one that is sent to the sink, one that is yielded. */
const three: FramesFor = async function* (sink) {
  yield [hintFrame('text', { n: 1 })];
  sink.send([hintFrame('text', { n: 2 })]);
  await sink.drained();
  yield [hintFrame('text', { n: 3 })];
};
const EVENTS = [1, 2, 3].map((n) => `event: text\ndata: {"type":"text","live":true,"n":${n}}\n\n`);
const BODY = `retry: 1000\n\n${EVENTS.join('')}`;
const CHUNKS = ['retry: 1000\n\n', ...EVENTS, ''].map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('');

describe('the body of an event stream', () => {
  test('is in chunks for HTTP/1.1, one per batch', async () => {
    const socket = await request(streaming(three), 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const [, body] = split(await all(socket));
    expect(body).toBe(CHUNKS);
  });

  test('goes on after batches without frames', async () => {
    const gaps: FramesFor = async function* (sink) {
      for await (const frames of three(sink)) {
        yield [];
        sink.send([]);
        yield frames;
      }
    };
    const socket = await request(streaming(gaps), 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const [, body] = split(await all(socket));
    expect(body).toBe(CHUNKS);
  });

  test.each([
    [new AnimusError('work.not_found', { detail: 'x' }), 'work.not_found'],
    [new AnimusError('db.refused', { where: 'h', detail: 'x' }), 'http.no_database'],
    [new AnimusError('db.forbidden', { where: 'h', detail: 'x' }), 'http.forbidden'],
    [new AnimusError('db.statement', { detail: 'x' }), 'internal.bug'],
    [new TypeError('x'), 'internal.bug'],
  ])('ends after an error with the code that an answer would have (%s)', async (error, code) => {
    const failing: FramesFor = async function* () {
      yield [];
      throw error;
    };
    const socket = await request(streaming(failing), 'GET / HTTP/1.0\r\n\r\n');
    expect(await all(socket)).toContain(`{"type":"closed","live":true,"code":"${code}"}`);
  });

  test('is bare for HTTP/1.0, which knows no chunks', async () => {
    const socket = await request(streaming(three), 'GET / HTTP/1.0\r\n\r\n');
    const [head, body] = split(await all(socket));
    expect(head).not.toContain('transfer-encoding');
    expect(body).toBe(BODY);
  });

  test('waits for the answer before it on the same connection', async () => {
    const first = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    const stream = streaming(three, () => sent.resolve());
    const listener: RequestListener = (incoming, response) => {
      if (incoming.url === '/first') void first.promise.then(() => response.end('first'));
      else stream(incoming, response);
    };
    const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
    const socket = await request(listener, get('/first') + get('/second', 'connection: close\r\n'));
    await sent.promise;
    first.resolve();
    const text = await all(socket);
    expect(text.indexOf('first')).toBeLessThan(text.indexOf(EVENTS[0]!));
    for (const event of EVENTS) expect(text.split(event)).toHaveLength(2);
    expect(text.endsWith('0\r\n\r\n')).toBe(true);
  });
});

test('frames end when the client leaves, also while nobody asks for more', async () => {
  const large = hintFrame('text', { text: 'x'.repeat(262_144) });
  const released = Promise.withResolvers<void>();
  const endless: FramesFor = async function* () {
    try {
      for (;;) yield [large];
    } finally {
      released.resolve();
    }
  };
  const over = Promise.withResolvers<unknown>();
  const socket = await request(streaming(endless, over.resolve), 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  socket.once('data', () => socket.destroy());
  await released.promise;
  expect(await over.promise).toBeNull();
});

describe('a client that does not read', () => {
  const large = hintFrame('text', { text: 'x'.repeat(262_144) });

  test('is sent no more than the connection takes, and is disconnected after a minute', async () => {
    const clock = heldClock();
    let taken = 0;
    const over = Promise.withResolvers<unknown>();
    const endless: FramesFor = async function* () {
      for (;;) {
        taken++;
        yield [large];
      }
    };
    const socket = await request(streaming(endless, over.resolve, clock), 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    socket.pause();
    const stopped = await still(() => taken);
    for (let n = 0; n < 5; n++) await clock.pass(15_000);
    expect(await over.promise).toMatchObject({ message: 'the client does not read' });
    expect(taken).toBe(stopped);
  });

  test('stays connected while it reads now and then', async () => {
    const clock = heldClock();
    let taken = 0;
    let over = false;
    const endless: FramesFor = async function* () {
      for (;;) {
        if (over) return;
        taken++;
        yield [large];
      }
    };
    const ended = Promise.withResolvers<unknown>();
    const socket = await request(streaming(endless, ended.resolve, clock), 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    for (let n = 0; n < 8; n++) {
      socket.pause();
      const before = await still(() => taken);
      await clock.pass(15_000);
      socket.resume();
      await eventually('it takes more', () => (taken > before ? true : null));
    }
    over = true;
    socket.resume();
    expect(await ended.promise).toBeNull();
  });
});

/** A listener that answers with these frames; `onEnd` is called with how it ended. */
function streaming(
  frames: FramesFor,
  onEnd: (error: unknown) => void = () => undefined,
  clock: Clock = systemClock,
): RequestListener {
  return (_, response) => void sendEvents(response, frames, () => undefined, clock).then(onEnd);
}

async function request(listener: RequestListener, text: string): Promise<Socket> {
  server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(text);
  return socket;
}

async function all(socket: Socket): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

function split(text: string): [head: string, body: string] {
  const at = text.indexOf('\r\n\r\n');
  return [text.slice(0, at).toLowerCase(), text.slice(at + 4)];
}

/** The count once it does not grow any more. */
async function still(count: () => number): Promise<number> {
  let last = -1;
  let same = 0;
  return eventually('it is still', () => {
    same = count() === last ? same + 1 : 0;
    last = count();
    return last > 0 && same === 4 ? last : null;
  });
}

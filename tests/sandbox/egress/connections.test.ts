import { type Duplex, PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { acceptConnections, MAX_CONNECTIONS } from '../../../src/sandbox/egress/connections.ts';
import {
  encodeFrame,
  FRAME,
  type Frame,
  frameReader,
  takenFrame,
  WINDOW_BYTES,
} from '../../../src/sandbox/egress/frames.ts';
import { eventually } from '../../support/eventually.ts';

/** The other end of the streams: what a relay reads and writes. */
function fakeRelay() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const frames: Frame[] = [];
  const read = frameReader();
  stdin.on('data', (chunk: Buffer) => frames.push(...read(chunk)));
  const connections: Duplex[] = [];
  let lost = 0;
  acceptConnections(
    { stdin, stdout },
    (connection) => connections.push(connection),
    () => (lost += 1),
  );
  const sent = (id: number, kind: number) => frames.filter((frame) => frame.id === id && frame.kind === kind);
  return {
    stdout,
    connections,
    sent,
    bytesOf: (id: number) => sent(id, FRAME.data).reduce((sum, { data }) => sum + data.length, 0),
    lost: () => lost,
    open: async (id: number): Promise<Duplex> => {
      const before = connections.length;
      stdout.write(encodeFrame(FRAME.open, id));
      return eventually('the connection', () => connections[before] ?? null);
    },
  };
}

test('carries both directions of a connection, whatever pieces the frames come in', async () => {
  const relay = fakeRelay();
  const connection = await relay.open(7);
  const bytes = Buffer.concat([
    encodeFrame(FRAME.data, 7, Buffer.from('hel')),
    encodeFrame(FRAME.data, 7, Buffer.from('lo')),
    encodeFrame(FRAME.end, 7),
  ]);
  for (const byte of bytes) relay.stdout.write(Buffer.from([byte]));
  expect(await text(connection)).toBe('hello');
  connection.end('answer');
  await eventually('the end', () => relay.sent(7, FRAME.end)[0] ?? null);
  expect(relay.sent(7, FRAME.data).map(({ data }) => data.toString())).toEqual(['answer']);
});

test('sends no more than the window until the relay has taken some', async () => {
  const relay = fakeRelay();
  const slow = await relay.open(1);
  const quick = await relay.open(2);
  slow.write(Buffer.alloc(WINDOW_BYTES * 3));
  quick.write('now');
  await eventually('the quick one', () => (relay.bytesOf(2) === 3 ? true : null));
  expect(relay.bytesOf(1)).toBe(WINDOW_BYTES);
  relay.stdout.write(takenFrame(1, 1000));
  await eventually('a thousand more', () => (relay.bytesOf(1) === WINDOW_BYTES + 1000 ? true : null));
});

test('grants the relay only what was read, and cuts off one that sends more', async () => {
  const relay = fakeRelay();
  const connection = await relay.open(1);
  const piece = encodeFrame(FRAME.data, 1, Buffer.alloc(32 * 1024));
  for (let sent = 0; sent < WINDOW_BYTES; sent += 32 * 1024) relay.stdout.write(piece);
  await eventually('all is there', () => (connection.readableLength === WINDOW_BYTES ? true : null));
  expect(relay.sent(1, FRAME.taken)).toEqual([]);
  relay.stdout.write(piece);
  await eventually('it is cut off', () => relay.sent(1, FRAME.reset)[0] ?? null);
  expect(connection.destroyed).toBe(true);
});

test('refuses more connections than there may be', async () => {
  const relay = fakeRelay();
  for (let id = 1; id <= MAX_CONNECTIONS; id += 1) await relay.open(id);
  relay.stdout.write(encodeFrame(FRAME.open, 1000));
  await eventually('the refusal', () => relay.sent(1000, FRAME.reset)[0] ?? null);
  relay.connections[0]?.destroy();
  await relay.open(1001);
});

test.each([
  ['what is not a frame', Buffer.from('HTTP/1.1 200 OK\r\n\r\n')],
  ['a frame that is too long', Buffer.from([FRAME.data, 0, 0, 0, 1, 0xff, 0, 0, 0])],
])('ends every connection once, when the relay sends %s', async (_what, bytes) => {
  const relay = fakeRelay();
  const connection = await relay.open(1);
  relay.stdout.write(bytes);
  await eventually('the end', () => (relay.lost() > 0 ? true : null));
  relay.stdout.write(bytes);
  relay.stdout.end();
  await eventually('it is destroyed', () => (connection.destroyed ? true : null));
  expect(relay.lost()).toBe(1);
});

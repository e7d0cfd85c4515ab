import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitStreams } from '../../../src/sandbox/engine/split-streams.ts';

function frame(stream: number, data: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(data.length, 4);
  return Buffer.concat([header, data]);
}

test('frames are split whatever the chunks they come in', async () => {
  const frames = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.string({ maxLength: 50 })), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(frames, fc.integer({ min: 1, max: 30 }), async (parts, size) => {
      const connection = new PassThrough();
      const { stdout, stderr } = splitStreams(connection);
      const bytes = Buffer.concat(parts.map(([stream, data]) => frame(stream, Buffer.from(data))));
      for (let at = 0; at < bytes.length; at += size) connection.write(bytes.subarray(at, at + size));
      connection.end();
      const expected = (which: number) => parts.flatMap(([stream, data]) => (stream === which ? [data] : [])).join('');
      expect(await Promise.all([text(stdout), text(stderr)])).toEqual([expected(1), expected(2)]);
    }),
    { numRuns: 50 },
  );
});

test('the connection is not read while an output is full', async () => {
  const connection = new PassThrough({ highWaterMark: 1024 });
  const { stdout, stderr } = splitStreams(connection);
  const block = frame(1, Buffer.alloc(64 * 1024));
  let written = 0;
  while (written < 100 && connection.write(block)) {
    written++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(written).toBeLessThan(20);
  stderr.resume();
  const read = text(stdout);
  connection.end();
  expect((await read).length).toBe((written + 1) * 64 * 1024);
});

test('a connection that fails ends both outputs', async () => {
  const connection = new PassThrough();
  const { stdout, stderr } = splitStreams(connection);
  connection.write(frame(1, Buffer.from('said')));
  const read = Promise.all([text(stdout), text(stderr)]);
  connection.emit('error', new Error('reset'));
  expect(await read).toEqual(['said', '']);
});

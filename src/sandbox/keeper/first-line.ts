/** Takes the first line out of a stream. */
import { PassThrough, type Readable } from 'node:stream';

const MAX_LINE_BYTES = 1000;

/** Returns the stream without its first line, if `take` takes that; otherwise with it. */
export function takeFirstLine(stream: Readable, take: (line: string) => boolean): Readable {
  const rest = new PassThrough();
  let held = Buffer.alloc(0);
  const start = (chunk: Buffer): void => {
    held = Buffer.concat([held, chunk]);
    const end = held.indexOf('\n');
    if (end < 0 && held.length < MAX_LINE_BYTES) return;
    pass(end >= 0 && take(held.toString('utf8', 0, end)) ? held.subarray(end + 1) : held);
  };
  const pass = (first: Buffer): void => {
    stream.off('data', start).off('end', finish);
    if (first.length > 0) rest.write(first);
    stream.pipe(rest);
  };
  const finish = (): void => {
    pass(held);
    rest.end();
  };
  stream.on('data', start).once('end', finish);
  return rest;
}

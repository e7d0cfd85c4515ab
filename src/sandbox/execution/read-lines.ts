/** Reads lines of bounded length from a stream. */
import type { Readable } from 'node:stream';

/** Yields each line without its end. Throws a RangeError for a line of more than `maxBytes`; drops what follows the last end. */
export async function* readLines(stream: Readable, maxBytes: number): AsyncGenerator<string, void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let rest = chunk;
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      if (bytes + end > maxBytes) throw tooLong(maxBytes);
      yield Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8');
      parts = [];
      bytes = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) parts.push(rest);
    bytes += rest.length;
    if (bytes > maxBytes) throw tooLong(maxBytes);
  }
}

function tooLong(maxBytes: number): RangeError {
  return new RangeError(`a message of more than ${maxBytes} bytes`);
}

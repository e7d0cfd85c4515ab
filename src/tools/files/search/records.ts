/** Splits what a program prints. */
import type { Readable } from 'node:stream';

/** A longer record is left out: nobody needs a line of 16 MiB, and memory is bounded. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Yields the records of a stream without their separators, decoded as UTF-8; the last one may lack it. */
export async function* records(stream: Readable, separator: '\n' | '\0'): AsyncGenerator<string, void> {
  const byte = separator.charCodeAt(0);
  let parts: Buffer[] = [];
  let bytes = 0;
  const taken = (last: Buffer): string | null => {
    const record = bytes + last.length > MAX_BYTES ? null : Buffer.concat([...parts, last]).toString();
    parts = [];
    bytes = 0;
    return record;
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(byte); end >= 0; end = chunk.indexOf(byte, from)) {
      const record = taken(chunk.subarray(from, end));
      from = end + 1;
      if (record !== null) yield record;
    }
    bytes += chunk.length - from;
    if (bytes <= MAX_BYTES) parts.push(chunk.subarray(from));
  }
  const rest = taken(Buffer.alloc(0));
  if (rest) yield rest;
}

/** Splits the attached connection of a container into its two outputs. */
import { PassThrough, type Readable } from 'node:stream';

/** The outputs of a container. They end with the connection. */
export interface SplitStreams {
  readonly stdout: Readable;
  readonly stderr: Readable;
}

const HEADER_BYTES = 8;
/** Kept per output while its reader is slow; then the connection is not read either. */
const KEPT_BYTES = 256 * 1024;

/**
 * Each frame of the connection is a header of eight bytes (the stream: 1 or 2; three zeros; the length) and its data. The
 * connection is not read while one of the outputs is full, so a container that prints without end fills no memory.
 */
export function splitStreams(connection: Readable): SplitStreams {
  const outputs = { 1: output(), 2: output() };
  let header = Buffer.alloc(0);
  let open = 0;
  let target: PassThrough | null = null;
  connection.on('data', (chunk: Buffer) => {
    let rest = chunk;
    while (rest.length > 0) {
      if (open === 0) {
        const missing = HEADER_BYTES - header.length;
        header = Buffer.concat([header, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (header.length < HEADER_BYTES) return;
        target = outputs[header[0] as 1 | 2] ?? null;
        open = header.readUInt32BE(4);
        header = Buffer.alloc(0);
        continue;
      }
      const part = rest.subarray(0, open);
      open -= part.length;
      rest = rest.subarray(part.length);
      if (target && !target.write(part)) waitFor(target);
    }
  });

  const full = new Set<PassThrough>();
  function waitFor(stream: PassThrough): void {
    if (full.has(stream)) return;
    full.add(stream);
    connection.pause();
    stream.once('drain', () => {
      full.delete(stream);
      if (full.size === 0) connection.resume();
    });
  }

  const end = (): void => Object.values(outputs).forEach((stream) => void stream.end());
  connection.once('end', end).once('close', end);
  connection.on('error', () => connection.destroy());
  return { stdout: outputs[1], stderr: outputs[2] };
}

function output(): PassThrough {
  return new PassThrough({ highWaterMark: KEPT_BYTES });
}

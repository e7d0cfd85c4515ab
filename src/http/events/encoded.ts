/** Frames as bytes, which are made once for all readers. */
import type { Frame } from './frame.ts';

/** The bytes of an event stream. */
export interface Encoded {
  readonly plain: Uint8Array;
  /** The same as one chunk of the chunked transfer coding (RFC 9112, 7.1). */
  readonly chunk: Uint8Array;
}

const NOTHING: Encoded = { plain: Buffer.alloc(0), chunk: Buffer.alloc(0) };

const ENCODED = new WeakMap<readonly Frame[], Encoded>();

/** The bytes of these frames. The same list, which many readers share, is encoded once. */
export function encode(frames: readonly Frame[]): Encoded {
  const known = ENCODED.get(frames);
  if (known) return known;
  const made = inChunk(frames.map((frame) => frame.bytes()));
  ENCODED.set(frames, made);
  return made;
}

/** The bytes of a text. */
export function encodeText(text: string): Encoded {
  return inChunk([Buffer.from(text)]);
}

function inChunk(parts: readonly Uint8Array[]): Encoded {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  // A chunk of no bytes would end the body.
  if (length === 0) return NOTHING;
  const head = Buffer.from(`${length.toString(16)}\r\n`);
  const chunk = Buffer.concat([head, ...parts, Buffer.from('\r\n')]);
  return { chunk, plain: chunk.subarray(head.length, head.length + length) };
}

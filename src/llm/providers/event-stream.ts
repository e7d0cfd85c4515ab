import { crc32 } from 'node:zlib';
import { type Fault, fault } from '../wire/fault.ts';
import { asObject, asString, parseJson } from '../wire/loose-json.ts';
import type { Framing, WireError } from '../wire/wire.ts';

/** Lengths and checksum of a frame, before its headers. */
const PRELUDE_BYTES = 12;
/** The checksum after the payload. */
const TAIL_BYTES = 4;
/** The largest frame that the format allows: 16 MiB of payload, 128 KiB of headers. */
const MAX_FRAME_BYTES = PRELUDE_BYTES + TAIL_BYTES + 128 * 1024 + 16 * 1024 * 1024;

/** The HTTP status that each exception of a stream stands for ("ResponseStream" in the API reference of Bedrock). */
const STATUS_OF: Readonly<Record<string, number>> = {
  internalServerException: 500,
  modelStreamErrorException: 424,
  modelTimeoutException: 408,
  serviceUnavailableException: 503,
  throttlingException: 429,
  validationException: 400,
};

/**
 * Bedrock's streams: frames of AWS's event stream encoding, each with two CRC-32 checksums. A `chunk` holds an event of
 * Anthropic's Messages as base64 in JSON; an exception becomes a fault.
 */
export function bedrockFraming(classify: (error: WireError) => Fault): Framing {
  let pieces: Buffer[] = [];
  let have = 0;
  /** Bytes of the frame under way, once its length is known: pieces are not joined before. */
  let need = PRELUDE_BYTES;
  return {
    takes: (first) => first !== 0x7b && first !== 0x5b,
    feed(chunk, onData) {
      pieces.push(chunk);
      have += chunk.length;
      while (have >= need) {
        const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
        const frame = cutFrame(bytes);
        if ('kind' in frame) return frame;
        const rest = 'bytes' in frame ? bytes.subarray(frame.bytes) : bytes;
        pieces = rest.length > 0 ? [rest] : [];
        have = rest.length;
        need = 'bytes' in frame ? PRELUDE_BYTES : frame.need;
        const broken = 'bytes' in frame ? read(frame, classify, onData) : null;
        if (broken) return broken;
      }
      return null;
    },
    end: () => (have > 0 ? fault('connection', 'the stream ended inside a frame') : null),
  };
}

interface Frame {
  readonly bytes: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Buffer;
}

/** The first frame of the bytes, or how many bytes it needs. */
function cutFrame(bytes: Buffer): Frame | Fault | { readonly need: number } {
  const total = bytes.readUInt32BE(0);
  const headerBytes = bytes.readUInt32BE(4);
  // Checked first: a length that is wrong would make the rest of the stream unreadable, or endless.
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8))
    return fault('protocol', 'a frame has a wrong checksum (prelude)');
  if (total > MAX_FRAME_BYTES || headerBytes > total - PRELUDE_BYTES - TAIL_BYTES)
    return fault('protocol', `a frame of the stream is too large or malformed (${total} bytes)`);
  if (bytes.length < total) return { need: total };
  if (crc32(bytes.subarray(0, total - TAIL_BYTES)) !== bytes.readUInt32BE(total - TAIL_BYTES))
    return fault('protocol', 'a frame has a wrong checksum (message)');
  const headers = readHeaders(bytes.subarray(PRELUDE_BYTES, PRELUDE_BYTES + headerBytes));
  if (headers === null) return fault('protocol', 'a frame has malformed headers');
  return { bytes: total, headers, payload: bytes.subarray(PRELUDE_BYTES + headerBytes, total - TAIL_BYTES) };
}

/** Bytes of a value by its type: true, false, byte, short, integer, long; timestamps and UUIDs. Types 6 and 7 have a length. */
const FIXED_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const STRING = 7;

/** The headers that are strings; null if the block is malformed. */
function readHeaders(block: Buffer): ReadonlyMap<string, string> | null {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < block.length) {
    const nameEnd = at + 1 + block[at]!;
    const type = block[nameEnd];
    if (type === undefined) return null;
    const fixed = FIXED_BYTES[type];
    if (fixed === undefined && nameEnd + 3 > block.length) return null;
    const start = nameEnd + (fixed === undefined ? 3 : 1);
    const end = start + (fixed ?? block.readUInt16BE(nameEnd + 1));
    if (end > block.length) return null;
    if (type === STRING) headers.set(block.toString('utf8', at + 1, nameEnd), block.toString('utf8', start, end));
    at = end;
  }
  return headers;
}

function read(
  { headers, payload }: Frame,
  classify: (error: WireError) => Fault,
  onData: (data: string) => void,
): Fault | null {
  const body = payload.toString('utf8');
  switch (headers.get(':message-type')) {
    case 'event': {
      // Other events than `chunk` may be added.
      if (headers.get(':event-type') !== 'chunk') return null;
      const data = asString(asObject(parseJson(body))?.['bytes']);
      if (data === null) return fault('protocol', 'a chunk of the stream has no bytes');
      onData(Buffer.from(data, 'base64').toString('utf8'));
      return null;
    }
    case 'exception': {
      const name = headers.get(':exception-type') ?? '';
      const cause = classify({ status: STATUS_OF[name] ?? null, body, within: 'stream' });
      return { ...cause, message: `${name}: ${cause.message}`, httpStatus: null };
    }
    case 'error': {
      const said = `${headers.get(':error-code') ?? ''} ${headers.get(':error-message') ?? ''}`.trim();
      return classify({ status: null, body: said || 'error', within: 'stream' });
    }
    default:
      return fault('protocol', 'a frame of the stream has no message type');
  }
}

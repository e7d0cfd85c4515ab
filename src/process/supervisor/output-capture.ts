/** Keeps the start and the end of a stream of any length in a fixed amount of memory. */
import type { CapturedOutput } from '../process-host.ts';

/** Takes chunks as they arrive; never stores more than `maxBytes`. */
export interface OutputCapture {
  add(chunk: Buffer): void;
  finish(): CapturedOutput;
}

/** The result if nothing was printed. */
export const NO_OUTPUT: CapturedOutput = { text: '', bytes: 0, truncated: false };

/** Captures up to `maxBytes` (0 or more), half from the start and half from the end. */
export function captureOutput(maxBytes: number): OutputCapture {
  const head = Buffer.allocUnsafe(Math.ceil(maxBytes / 2));
  const tail = Buffer.allocUnsafe(Math.floor(maxBytes / 2));
  let bytes = 0;

  return {
    add(chunk) {
      const intoHead = bytes < head.length ? chunk.copy(head, bytes) : 0;
      writeRing(tail, Math.max(0, bytes - head.length), chunk.subarray(intoHead));
      bytes += chunk.length;
    },
    finish() {
      const inHead = head.subarray(0, Math.min(bytes, head.length));
      const overflow = Math.max(0, bytes - head.length);
      const inTail = readRing(tail, overflow);
      const truncated = overflow > tail.length;
      const text = truncated
        ? cutAtCharacterEnd(inHead).toString() +
          `\n[… ${overflow - tail.length} bytes left out …]\n` +
          cutAtCharacterStart(inTail).toString()
        : Buffer.concat([inHead, inTail]).toString();
      return { text, bytes, truncated };
    },
  };
}

/** Writes at position `at` of an endless stream. The ring keeps its last bytes. */
function writeRing(ring: Buffer, at: number, chunk: Buffer): void {
  if (ring.length === 0 || chunk.length === 0) return;
  const skipped = Math.max(0, chunk.length - ring.length);
  const kept = chunk.subarray(skipped);
  const from = (at + skipped) % ring.length;
  const copied = kept.copy(ring, from);
  kept.copy(ring, 0, copied);
}

function readRing(ring: Buffer, written: number): Buffer {
  if (written <= ring.length) return ring.subarray(0, written);
  const start = written % ring.length;
  return Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
}

/** Drops an incomplete UTF-8 sequence at the end of the bytes: at most three bytes. */
export function cutAtCharacterEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

function cutAtCharacterStart(bytes: Buffer): Buffer {
  let skip = 0;
  while (skip < Math.min(3, bytes.length) && ((bytes[skip] ?? 0) & 0b1100_0000) === 0b1000_0000) skip++;
  return bytes.subarray(skip);
}

/** The bytes of a text in small pieces. */
export function* slicesOf(text: string): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}

const SLICE_BYTES = 64 * 1024;

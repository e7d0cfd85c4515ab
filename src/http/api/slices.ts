/** Hands bytes to the socket in small pieces. */

export const SLICE_BYTES = 64 * 1024;

/** A text as a stream of small pieces. */
export function slicesOf(text: string): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(text);
  let next = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (next >= bytes.length) return controller.close();
        controller.enqueue(bytes.subarray(next, next + SLICE_BYTES));
        next += SLICE_BYTES;
      },
    },
    { highWaterMark: 0 },
  );
}

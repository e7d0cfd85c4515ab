/** Rows as a stream of JSON Lines that is made while it is read. */

/** About so many bytes are made ahead of a slow reader. */
const CHUNK_BYTES = 64 * 1024;

/**
 * One line per row. Rows are read only as fast as the client takes them; the reading ends when it leaves. The first row is read at once, so
 * that a problem is an answer and not the end of a stream.
 */
export async function streamOf(rows: AsyncIterable<object>, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const iterator = rows[Symbol.asyncIterator]();
  let next = await iterator.next();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let text = '';
        while (text.length < CHUNK_BYTES) {
          signal.throwIfAborted();
          if (next.done) {
            if (text !== '') controller.enqueue(Buffer.from(text));
            controller.close();
            return;
          }
          text += `${JSON.stringify(next.value)}\n`;
          next = await iterator.next();
        }
        controller.enqueue(Buffer.from(text));
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

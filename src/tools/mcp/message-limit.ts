/** The longest message of an MCP server. */

export const MAX_MESSAGE_BYTES = 10 * 2 ** 20;

/** Why a server was stopped. */
export function messageLimit(): string {
  return `it sent a message of more than ${MAX_MESSAGE_BYTES / 2 ** 20} MiB`;
}

/**
 * Bounds a body: its bytes, or in a stream of events the bytes of one event. The stream fails when there are more. Response bodies
 * would otherwise be read into memory whole.
 */
export function boundedBody(body: ReadableStream<Uint8Array>, isEvents: boolean): ReadableStream<Uint8Array> {
  let open = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        open += chunk.length;
        if (open > MAX_MESSAGE_BYTES) return controller.error(new Error(messageLimit()));
        if (isEvents && endsEvent(chunk)) open = 0;
        controller.enqueue(chunk);
      },
    }),
  );
}

/** An event ends with an empty line. One that is cut by two chunks counts with the next event. */
function endsEvent(chunk: Uint8Array): boolean {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return text.includes('\n\n') || text.includes('\r\n\r\n');
}

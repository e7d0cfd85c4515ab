/** The two streams of a container that speaks HTTP, as if it were attached. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** One container and its token. */
export interface Attachment {
  /** Known to this container only. Give it nothing else, and nobody else. */
  readonly token: string;
  /** What is written here, the container reads. */
  readonly stdin: Writable;
  /** What the container sends; it ends with its connection. */
  readonly stdout: Readable;
  /** Ends both, and the connections of the container. Idempotent. */
  close(): void;
}

/** The server's side of it. */
export interface AttachedStreams {
  readonly attachment: Attachment;
  /** Sends to the container what is written to `stdin`, until one of both ends. False: somebody has asked before. */
  deliver(response: ServerResponse): boolean;
  /** Takes the body of a request as what the container sends. Resolves when it was read; rejects if it is too long or breaks off. */
  take(request: IncomingMessage, maxBytes: number): Promise<void>;
  /** Whether the container may send: its own connection for receiving is open. */
  attached(): boolean;
}

/** A body is longer than it may be. */
export class BodyTooLong extends Error {}

/** Creates the streams; `closed` is called once, when the attachment is closed. */
export function attachedStreams(token: string, closed: () => void): AttachedStreams {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let state: 'new' | 'attached' | 'closed' = 'new';
  const close = (): void => {
    if (state === 'closed') return;
    state = 'closed';
    stdin.destroy();
    stdout.end();
    closed();
  };
  // The writer learns of the end from `stdout`.
  stdin.on('error', () => {});
  stdout.on('error', () => {});
  return {
    attachment: { token, stdin, stdout, close },
    attached: () => state === 'attached',
    deliver(response) {
      if (state !== 'new') return false;
      state = 'attached';
      response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
      response.flushHeaders();
      void pipeline(stdin, response)
        .catch(() => {})
        .finally(close);
      return true;
    },
    async take(request, maxBytes) {
      let bytes = 0;
      for await (const chunk of request as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw new BodyTooLong();
        // Nothing more is read before the engine has taken this.
        if (!stdout.write(chunk)) await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]);
      }
    },
  };
}

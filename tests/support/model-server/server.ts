import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact text. */
  readonly body: Buffer;
  /** Parsed; null if it is not a JSON object. */
  readonly json: Record<string, unknown> | null;
  /** Milliseconds of the process's monotonic clock. */
  readonly atMs: number;
  /** The message of the 400 response, null if the request was accepted. */
  refused: string | null;
  /** Resolves when the response is over; true if the client disconnected before its end. */
  readonly ended: Promise<{ readonly cutByClient: boolean }>;
}

/** How a body is sent, and how it fails. By default it is sent whole, at once. */
export interface Delivery {
  /** Delay before the status line. */
  readonly delayMs?: number;
  /** Sends pieces of this many bytes, each separately, `everyMs` (default 0: the next turn of the event loop) apart. */
  readonly pieceBytes?: number;
  readonly everyMs?: number;
  /** Sends only this many of the parts (events of a stream) … */
  readonly stopAfter?: number;
  /** … and then ends cleanly, resets the connection, or sends nothing more. */
  readonly finally?: 'end' | 'reset' | 'stall';
}

/** A response to send: `parts` are events of a stream, or one body. */
export interface Reply extends Delivery {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly parts: readonly (string | Buffer)[];
}

/** A running mock server. */
export interface ModelServer {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  /** All requests so far, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Resolves when the n-th request (from 1) has arrived. */
  received(n: number): Promise<RecordedRequest>;
  /** TCP connections accepted so far. */
  connections(): number;
  close(): Promise<void>;
}

/** Starts a server on a free loopback port that answers each request with the result of `reply`, which gets the whole request. */
export async function startServer(
  reply: (request: RecordedRequest, index: number) => Reply | Promise<Reply>,
): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const waiting = new Set<() => void>();
  let connections = 0;
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const request = await record(incoming, outgoing);
      const index = requests.push(request) - 1;
      for (const wake of waiting) wake();
      await deliver(await reply(request, index), outgoing);
    })().catch((error: unknown) => outgoing.destroy(error as Error));
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    received: (n) =>
      new Promise((resolve) => {
        const look = () => {
          const found = requests[n - 1];
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    connections: () => connections,
    close: () => closeServer(server),
  };
}

async function record(incoming: IncomingMessage, outgoing: ServerResponse): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const ended = once(outgoing, 'close').then(() => ({ cutByClient: !outgoing.writableFinished }));
  const { method = '', url = '', headers } = incoming;
  return { method, path: url, headers, body, json: parse(body), atMs: performance.now(), refused: null, ended };
}

function parse(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

async function deliver(reply: Reply, outgoing: ServerResponse): Promise<void> {
  if (reply.delayMs !== undefined) await pause(reply.delayMs);
  outgoing.writeHead(reply.status, reply.headers ?? {});
  outgoing.flushHeaders();
  const parts = reply.parts.slice(0, reply.stopAfter ?? reply.parts.length).map((part) => Buffer.from(part));
  for (const piece of pieces(Buffer.concat(parts), reply.pieceBytes)) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(piece)) await Promise.race([once(outgoing, 'drain'), once(outgoing, 'close')]);
    if (reply.pieceBytes !== undefined) await pause(reply.everyMs ?? 0);
  }
  if (reply.finally === 'stall') return;
  if (reply.finally === 'reset') {
    // Flushed first, so that everything sent before the cut arrives.
    await new Promise((resolve) => outgoing.write('', resolve));
    await pause(5);
    outgoing.socket?.resetAndDestroy();
    return;
  }
  outgoing.end();
}

function* pieces(whole: Buffer, size = whole.length): Generator<Buffer> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)));
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

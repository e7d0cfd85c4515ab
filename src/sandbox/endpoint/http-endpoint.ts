/**
 * The channel of the sandbox over HTTP, for containers on a network that reaches nothing but this. `GET /v1/messages` is what the
 * container reads, as long as it is there; each `POST /v1/messages` is one or several lines that it writes. A token is good for
 * one container, which has one execution.
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { AnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { type AttachedStreams, type Attachment, attachedStreams, BodyTooLong } from './attachment.ts';
import { type RequestRate, requestRate } from './request-rate.ts';

export interface HttpEndpoint extends Service {
  /** The port on which it listens. */
  port(): number;
  /** A new token, and the streams of the container that will use it. */
  attach(): Attachment;
}

const PATH = '/v1/messages';
/** A line of the channel (20 MiB), and its end. */
const MAX_BODY_BYTES = 20 * 1024 * 1024 + 1024;
const MAX_HEADER_BYTES = 8 * 1024;
const HEADERS_MS = 5000;
/** Of a whole request: a body of 20 MiB on a machine that is busy. */
const REQUEST_MS = 60_000;
const CHECK_MS = 1000;
/** The runner sends what waits in one request, so it needs few. */
const BURST = 1000;
const PER_SECOND = 200;
/** Connections without a known token; one more closes the oldest. */
const MAX_STRANGERS = 64;

interface Execution {
  readonly streams: AttachedStreams;
  readonly rate: RequestRate;
}

/** What clients may do; the defaults are above. */
export interface EndpointLimits {
  readonly headersMs?: number;
  readonly burst?: number;
  readonly perSecond?: number;
  readonly maxBodyBytes?: number;
}

/** `start` rejects with `sandbox.endpoint` when it cannot listen there; port 0 is any free one. */
export function createHttpEndpoint(
  address: { readonly host: string; readonly port: number },
  { headersMs = HEADERS_MS, burst = BURST, perSecond = PER_SECOND, maxBodyBytes = MAX_BODY_BYTES }: EndpointLimits = {},
): HttpEndpoint {
  const executions = new Map<string, Execution>();
  const strangers = strangersOf(MAX_STRANGERS);
  const limits = { requestTimeout: REQUEST_MS, headersTimeout: headersMs, connectionsCheckingInterval: CHECK_MS };
  const server = createServer(
    { ...limits, maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 0 },
    (request, response) => {
      const execution = executions.get(digestOf(bearer(request)));
      if (execution === undefined) return refuse(response, 401, 'unknown token');
      strangers.known(request.socket);
      void answer(execution, request, response, maxBodyBytes).catch(() => request.socket.destroy());
    },
  );
  server.on('connection', strangers.add);
  return {
    start: () => listen(server, address),
    port: () => (server.address() as AddressInfo | null)?.port ?? address.port,
    attach() {
      const token = randomBytes(32).toString('base64url');
      const digest = digestOf(token);
      const streams = attachedStreams(token, () => executions.delete(digest));
      executions.set(digest, { streams, rate: requestRate(burst, perSecond) });
      return streams.attachment;
    },
    async stop() {
      for (const { streams } of executions.values()) streams.attachment.close();
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  { streams, rate }: Execution,
  request: IncomingMessage,
  response: ServerResponse,
  maxBodyBytes: number,
): Promise<void> {
  if (request.url !== PATH) return refuse(response, 404, `the only path is ${PATH}`);
  if (!rate.take()) return refuse(response, 429, 'too many requests', { 'retry-after': '1' });
  if (request.method === 'GET') {
    if (!streams.deliver(response)) refuse(response, 409, 'this token is in use');
    return;
  }
  if (request.method !== 'POST') return refuse(response, 405, 'only GET and POST', { allow: 'GET, POST' });
  if (!streams.attached()) return refuse(response, 409, 'GET first');
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return refuse(response, 413, 'too long');
  try {
    await streams.take(request, maxBodyBytes);
  } catch (error) {
    // A part of a line may have been taken, and nothing can follow it.
    streams.attachment.close();
    if (!(error instanceof BodyTooLong)) throw error;
    return refuse(response, 413, 'too long');
  }
  response.writeHead(204).end();
}

/** The connection is closed, so that nothing more is read from it. */
function refuse(response: ServerResponse, status: number, error: string, headers: Record<string, string> = {}): void {
  const { socket } = response;
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
  response.end(`${JSON.stringify({ error })}\n`, () => socket?.destroySoon());
}

function bearer(request: IncomingMessage): string {
  return /^Bearer ([\w-]{43})$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
}

/** Tokens are looked up by their digest, so that the time of a comparison says nothing about them. */
function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

function strangersOf(most: number) {
  const present = new Set<Socket>();
  return {
    add(socket: Socket): void {
      present.add(socket);
      socket.on('error', () => socket.destroy()).once('close', () => present.delete(socket));
      if (present.size > most) [...present][0]?.destroy();
    },
    known: (socket: Socket): void => void present.delete(socket),
  };
}

async function listen(server: Server, address: { readonly host: string; readonly port: number }): Promise<void> {
  try {
    server.listen(address);
    await once(server, 'listening');
  } catch (error) {
    const details = { address: `${address.host}:${address.port}`, detail: messageOf(error) };
    throw new AnimusError('sandbox.endpoint', details, { cause: error });
  }
  // A connection that cannot be accepted must not stop the daemon.
  server.on('error', () => {});
}

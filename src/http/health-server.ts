/** Health over HTTP: `/healthz` answers while the process runs, `/readyz` reports whether it takes work. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { AnimusError, messageOf } from '../core/errors/errors.ts';
import {
  type HttpAddress,
  type HttpApi,
  type OpenHealth,
  type Readiness,
  showAddress,
} from '../core/lifecycle/health.ts';
import { type Connections, limitConnections } from './connections.ts';
import { MOVED, ROUTES } from './routes.ts';
import { endSlowReaders } from './slow-readers.ts';

/** The time limit of a request; both pages are small. */
const REQUEST_MS = 5000;
/** How often time-outs are checked. Node's default of 30 s would extend the limit above to 35 s. */
const CHECK_MS = 1000;
/** Without the API. One more closes the oldest: the daemon needs its file descriptors for other things, and slow clients must not shut out others. */
const MAX_CONNECTIONS = 100;
/** The time limit of a request to the API, which may have a body, and that of its headers. */
const API_REQUEST_MS = 30_000;
/** How long a connection stays open without a request. */
const KEEP_ALIVE_MS = 5000;
/** After this time without anything sent or received, a connection is closed. Event streams send something more often. */
const SILENCE_MS = 120_000;

/**
 * Answers GET and HEAD with JSON: 200, or 503 from `/readyz` when the daemon takes no work. `start` rejects with
 * `http.unavailable` when it cannot listen on the address. Requests below `/api/` are the API's, if there is one, and paths that have moved there are
 * redirected; what is not about health may be the console's.
 */
export const openHealthServer: OpenHealth = (address, look, api) => {
  let handler: HttpApi | null = null;
  const limits = {
    requestTimeout: api ? API_REQUEST_MS : REQUEST_MS,
    headersTimeout: REQUEST_MS,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const connections = limitConnections(api?.maxConnections ?? MAX_CONNECTIONS);
  const readers = api ? endSlowReaders(api.slowestReaderMs) : null;
  const server = createServer(limits, (request, response) => {
    readers?.watch(response);
    const moved = api && MOVED.get(pathOf(request));
    if (api && OF_THE_API.test(request.url ?? '')) answerApi(handler, request, response, connections);
    else if (moved) redirect(response, moved);
    else void answerOther(handler, request, response, look);
  });
  // No keep-alive: each request must open a new connection, so no client can occupy one. Clients of the API send many.
  if (api) server.timeout = SILENCE_MS;
  else server.maxRequestsPerSocket = 1;
  server.on('connection', connections.add);
  server.on('upgrade', (request, socket, head) => {
    const path = request.url?.startsWith('/api/') ? handler : null;
    if (path?.upgrade)
      path.upgrade(request, socket, head, (person, use) => connections.keep(request.socket, person, use));
    else socket.destroy();
  });
  return {
    start: () => listen(server, address),
    address() {
      const bound = server.address();
      return { host: address.host, port: bound !== null && typeof bound === 'object' ? bound.port : address.port };
    },
    serveApi: (opened) => void (handler = opened),
    async stop() {
      readers?.stop();
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

/** Its routes, and where clients ask which issuer makes tokens for it. */
const OF_THE_API = /^\/(?:api\/|\.well-known\/oauth-protected-resource(?:[/?]|$))/;

function answerApi(
  handler: HttpApi | null,
  request: IncomingMessage,
  response: ServerResponse,
  connections: Connections,
): void {
  if (handler === null) {
    response.setHeader('retry-after', '1');
    send(response, 503, STARTING, 'application/problem+json');
    return;
  }
  const { socket } = request;
  response.once('close', () => connections.free(socket));
  handler.answer(request, response, (person, use) => connections.keep(socket, person, use));
}

const starting = new AnimusError('http.starting');
const STARTING = {
  type: `urn:animus:error:${starting.code}`,
  title: 'Service Unavailable',
  status: starting.httpStatus,
  detail: starting.message,
  code: starting.code,
  retryable: starting.retryable,
};

async function answerOther(
  handler: HttpApi | null,
  request: IncomingMessage,
  response: ServerResponse,
  look: () => Promise<Readiness>,
): Promise<void> {
  const isPage = !ROUTES.has(pathOf(request)) && (await handler?.page?.(request, response));
  if (isPage !== true) await answer(request, response, look);
}

async function listen(server: Server, address: HttpAddress): Promise<void> {
  try {
    server.listen(address);
    await once(server, 'listening');
  } catch (error) {
    const details = { address: showAddress(address), detail: messageOf(error) };
    throw new AnimusError('http.unavailable', details, { cause: error });
  }
  // A connection that cannot be accepted must not stop the daemon.
  server.on('error', () => {});
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  look: () => Promise<Readiness>,
): Promise<void> {
  const route = ROUTES.get(pathOf(request));
  if (!route) {
    send(response, 404, { error: `not found; the paths are ${[...ROUTES.keys()].join(', ')}` });
  } else if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    send(response, 405, { error: 'only GET and HEAD' });
  } else {
    const { status, body } = await route(look);
    send(response, status, body);
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]!;
}

/** With 308, a client sends the same method, headers and body again; the server there asks who it is. */
function redirect(response: ServerResponse, location: string): void {
  // The body is not read, so the connection cannot be used again.
  response.writeHead(308, { location, connection: 'close', 'cache-control': 'no-store', 'content-length': 0 });
  response.end();
}

function send(response: ServerResponse, status: number, body: object, type = 'application/json; charset=utf-8'): void {
  const headers = { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  response.writeHead(status, headers);
  response.end(`${JSON.stringify(body)}\n`);
}

/** Health over HTTP: `/healthz` answers while the process runs, `/readyz` reports whether it takes work. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AnimusError, messageOf } from '../core/errors/errors.ts';
import { type HttpAddress, type OpenHealth, type Readiness, showAddress } from '../core/lifecycle/health.ts';
import { ROUTES } from './routes.ts';

/** The time limit of a request; both pages are small. */
const REQUEST_MS = 5000;
/** How often time-outs are checked. Node's default of 30 s would extend the limit above to 35 s. */
const CHECK_MS = 1000;
/** One more closes the oldest: the daemon needs its file descriptors for other things, and slow clients must not shut out others. */
const MAX_CONNECTIONS = 100;

/**
 * Answers GET and HEAD with JSON: 200, or 503 from `/readyz` when the daemon takes no work. `start` rejects with
 * `http.unavailable` when it cannot listen on the address.
 */
export const openHealthServer: OpenHealth = (address, look) => {
  const limits = { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, connectionsCheckingInterval: CHECK_MS };
  const server = createServer(limits, (request, response) => void answer(request, response, look));
  // No keep-alive: each request must open a new connection, so no client can occupy one.
  server.maxRequestsPerSocket = 1;
  server.on('connection', makeRoom(MAX_CONNECTIONS));
  return {
    start: () => listen(server, address),
    address() {
      const bound = server.address();
      return { host: address.host, port: bound !== null && typeof bound === 'object' ? bound.port : address.port };
    },
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

/** Closes the oldest connection for each one beyond `most`. Who asks at once is answered long before it is the oldest. */
function makeRoom(most: number): (socket: Socket) => void {
  const present = new Set<Socket>();
  return (socket) => {
    present.add(socket);
    socket.once('close', () => present.delete(socket));
    if (present.size <= most) return;
    const [oldest] = present;
    present.delete(oldest!);
    oldest!.destroy();
  };
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
  const route = ROUTES.get((request.url ?? '').split('?')[0] ?? '');
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

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(`${JSON.stringify(body)}\n`);
}

/** Lets clients open WebSockets at `/api/v1/socket`, after the same checks as any request. */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Admitted } from '../../core/lifecycle/health.ts';
import type { Network } from '../../core/text/networks.ts';
import type { Doorkeeper } from '../door/authorize.ts';
import { clientAddress } from '../door/client-address.ts';
import type { Shown } from '../door/credential.ts';
import { checkHost, checkOrigin, type GateRules } from '../door/gate.ts';
import type { RateLimit } from '../door/limits.ts';
import { shownError } from '../route/public-error.ts';
import type { ApiServices } from '../route/route.ts';
import { createSocketServer } from '../sockets/socket-server.ts';
import { API_ROOT } from './openapi.ts';
import { retryAfter } from './problem.ts';
import { sentHeaders } from './sent-request.ts';

export interface SocketParts {
  readonly services: ApiServices;
  readonly settings: GateRules;
  readonly trusted: readonly Network[];
  readonly door: Doorkeeper;
  readonly requests: RateLimit;
  readonly stopping: AbortSignal;
}

export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, admitted: Admitted): void;
  /** Resolves when all are closed; `stopping` was aborted. */
  stop(): Promise<void>;
}

export function openSockets({ services, settings, trusted, door, requests, stopping }: SocketParts): Sockets {
  const server = createSocketServer();

  async function admit(request: IncomingMessage, socket: Duplex, head: Buffer, admitted: Admitted): Promise<void> {
    if (request.url?.split('?')[0] !== `${API_ROOT}/socket`) throw new AnimusError('http.not_found');
    checkHost(request.headers.host, settings);
    checkOrigin(sentHeaders(request), settings);
    if (stopping.aborted) throw new AnimusError('http.starting');
    const left = new AbortController();
    socket.once('close', () => left.abort());
    const signal = AbortSignal.any([stopping, left.signal]);
    const address = clientAddress(request, trusted);
    const caller = { shown: socketCredentials(request), address, signal, use: 'stream' } as const;
    const visitor = await door.admit(caller, 'read');
    admitted(visitor.actor, 'stream');
    server.accept(request, socket, head, {
      visitor,
      services,
      signal: stopping,
      count: () => requests.take(visitor.actor),
      showError(error) {
        const { code, message } = shownError(error, services.log, { client: address });
        return { code, detail: message };
      },
    });
  }

  return {
    upgrade(request, socket, head, admitted) {
      // Without a listener, a client that is gone would end the process.
      socket.on('error', () => socket.destroy());
      admit(request, socket, head, admitted).catch((error: unknown) => {
        const client = clientAddress(request, trusted);
        const shown = shownError(error, services.log, { client });
        const { httpStatus: status, code } = shown;
        const headers = { connection: 'close', 'content-type': 'text/plain', 'content-length': code.length };
        const lines = Object.entries({ ...headers, ...retryAfter(shown) }).map(([name, value]) => `${name}: ${value}`);
        socket.end(`HTTP/1.1 ${[`${status} ${STATUS_CODES[status] ?? ''}`, ...lines].join('\r\n')}\r\n\r\n${code}`);
      });
    },
    stop: () => server.stop(),
  };
}

/** A browser, whose scripts cannot send an Authorization header, adds `token.TOKEN` to the list of subprotocols. */
const TOKEN_PROTOCOL = /(?:^|[ ,])token\.([\w.-]+)(?:$|[ ,])/;

/**
 * What says who opens a socket: the Authorization header, the token among the subprotocols, or the cookie of a session. The cookie needs an Origin, because
 * browsers let the pages of all sites open sockets with it.
 */
function socketCredentials({ headers }: Pick<IncomingMessage, 'headers'>): Shown {
  const token = TOKEN_PROTOCOL.exec(headers['sec-websocket-protocol'] ?? '')?.[1];
  const shown: Readonly<Record<string, string | undefined>> = {
    authorization: headers.authorization ?? (token === undefined ? undefined : `Bearer ${token}`),
    cookie: headers.origin === undefined ? undefined : headers.cookie,
    'sec-fetch-site': headers['sec-fetch-site'],
    origin: headers.origin,
    host: headers.host,
  };
  return { method: 'GET', headers: { get: (name) => shown[name] ?? null } };
}

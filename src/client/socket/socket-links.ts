/** The connections of a WebSocket, one after the other: to the next address after a failure. */
import { ApiError } from '../api-error.ts';
import type { Connection } from '../call.ts';
import type { ClientOptions, WebSocketClass } from '../options.ts';
import { readJson } from '../read-answer.ts';
import { isTransient, tokenOf } from '../send.ts';
import { backOffMs, sleep } from '../sleep.ts';
import { deferred } from './deferred.ts';
import { type LinkOptions, openLink, type SocketLink } from './socket-link.ts';

interface LinksOptions extends Omit<LinkOptions, 'webSocket'> {
  readonly patienceMs: number;
  /** Ends the attempts to open one. */
  readonly signal: AbortSignal;
}

export interface SocketLinks {
  /** The open connection, or a new one. Errors: `ApiError` of what does not pass, or after `patienceMs`; the signal's reason. */
  open(signal: AbortSignal): Promise<SocketLink>;
  sendIfOpen(message: object): void;
  close(): void;
}

export function openSocketLinks(connection: Connection, client: ClientOptions, options: LinksOptions): SocketLinks {
  const { addresses } = connection;
  const { patienceMs, signal: closing, onEnd } = options;
  let link: SocketLink | null = null;
  let opening: Promise<SocketLink> | null = null;

  async function openNext(): Promise<SocketLink> {
    const webSocket = client.webSocket ?? platformsWebSocket();
    const begunMs = performance.now();
    for (let failures = 0; ; failures++) {
      const root = addresses.current();
      try {
        const token = await tokenOf(client);
        const next = await openLink(root, token, {
          ...options,
          webSocket,
          onEnd(error) {
            link = null;
            if (isTransient(error)) addresses.leave(root);
            onEnd(error);
          },
        });
        link = next;
        if (closing.aborted) next.close();
        return next;
      } catch (error) {
        closing.throwIfAborted();
        const reason = isTransient(error) ? await reasonOf(error) : error;
        if (!isTransient(reason)) throw reason;
        addresses.leave(root);
        const round = Math.floor(failures / addresses.count);
        const waitMs = (failures + 1) % addresses.count !== 0 ? 0 : backOffMs(round);
        if (performance.now() - begunMs + waitMs > patienceMs) throw reason;
        await sleep(waitMs, closing);
      }
    }
  }

  /** Why it did not open, which only an HTTP request can tell: a token that is not valid, or a server that is not there. */
  async function reasonOf(error: ApiError): Promise<unknown> {
    try {
      const outgoing = { method: 'GET', path: '/me', headers: {} };
      await connection.send(outgoing, { retries: 0, signal: closing }, readJson);
      return error;
    } catch (reason) {
      return reason;
    }
  }

  return {
    async open(signal) {
      signal.throwIfAborted();
      if (link !== null) return link;
      opening ??= openNext().finally(() => (opening = null));
      const left = deferred<never>();
      const leave = () => left.reject(signal.reason);
      signal.addEventListener('abort', leave);
      try {
        return await Promise.race([opening, left.promise]);
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
    sendIfOpen: (message) => link?.send(message),
    close: () => {
      link?.close();
      link = null;
    },
  };
}

function platformsWebSocket(): WebSocketClass {
  const { WebSocket } = globalThis as { readonly WebSocket?: WebSocketClass };
  if (WebSocket !== undefined) return WebSocket;
  const message = 'this platform has no WebSocket: give one as webSocket, such as that of the package ws';
  throw new ApiError('client.invalid', message);
}

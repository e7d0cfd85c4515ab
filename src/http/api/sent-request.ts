/** A request as Node's server hands it over. Fetch's `Request` says the same, and making one costs more than all else that a short request needs of the server. */
import type { IncomingMessage } from 'node:http';

/** What is read of a request. A `Request` is one, too. */
export interface Sent {
  readonly method: string;
  /** Absolute, or only path and query. */
  readonly url: string;
  readonly headers: { get(name: string): string | null; has(name: string): boolean };
  /** Read once; null: it has none. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Its path and query are as they were sent. */
export function sentRequest(incoming: IncomingMessage): Sent {
  const { method = '', url = '' } = incoming;
  return {
    method,
    url,
    headers: sentHeaders(incoming),
    // Whoever stops in the middle still has to answer on this connection.
    body: { [Symbol.asyncIterator]: () => incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array> },
  };
}

/** The headers, which are asked for in lower case. */
export function sentHeaders({ headers }: Pick<IncomingMessage, 'headers'>): Sent['headers'] {
  return {
    get(name) {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : (value ?? null);
    },
    has: (name) => headers[name] !== undefined,
  };
}

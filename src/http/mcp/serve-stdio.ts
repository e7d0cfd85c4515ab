/** The MCP server on standard input and output, for a client that starts it: `animus mcp`. */
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { OidcConfig } from '../../core/config/sections/http.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { openLiveEvents } from '../events/live-events.ts';
import { openIssuer } from '../login/issuer.ts';
import { openLogin } from '../login/login.ts';
import type { ApiServices } from '../route/route.ts';
import { createMcpServer } from './mcp-server.ts';

export interface McpStdioParts extends Omit<ApiServices, 'live' | 'models'> {
  readonly token: Secret;
  readonly oidc: OidcConfig | null;
  readonly stdin: Readable;
  /** Carries the protocol and nothing else. */
  readonly stdout: Writable;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Serves until the client closes standard input or the signal aborts. Errors: `http.unauthorized` at the start, `db.*`. */
export async function serveMcpStdio(parts: McpStdioParts): Promise<void> {
  const { token, oidc, stdin, stdout, signal, ...given } = parts;
  const { db, log, clock } = given;
  const login = openLogin({ database: db, issuer: oidc && openIssuer(oidc) });
  const visitor = await login.visitor(`Bearer ${token.reveal()}`);
  if (signal.aborted) return;
  const live = openLiveEvents(db, clock, log);
  const over = new AbortController();
  const services = { ...given, live };
  const visit = { visitor, services, traceparent: null, signal: over.signal };
  const transport = new ClosingTransport(stdin, stdout);
  const handle = serveStdio(() => createMcpServer(visit), {
    transport,
    maxSubscriptions: 0,
    onerror: (error) => log.debug({ err: error }, 'a message of an MCP client was refused'),
  });
  const interrupted = () => void handle.close();
  signal.addEventListener('abort', interrupted, { once: true });
  try {
    await transport.closed;
  } finally {
    signal.removeEventListener('abort', interrupted);
    over.abort();
    await handle.close();
    await live.stop();
  }
}

/** Says when it has closed: the SDK keeps `onclose` for itself. */
class ClosingTransport extends StdioServerTransport {
  readonly #closed = Promise.withResolvers<void>();
  readonly closed = this.#closed.promise;

  override async close(): Promise<void> {
    await super.close();
    this.#closed.resolve();
  }
}

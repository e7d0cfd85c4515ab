/** MCP over streamable HTTP: the SDK's transport, with bounded bodies and connections of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import type * as Sdk from '@modelcontextprotocol/client';
import { Agent, fetch } from 'undici';
import { boundedBody } from './message-limit.ts';
import type { EndingTransport } from './stdio-transport.ts';

const CONNECT_MS = 10_000;
/** How long the end of a session may take at the server. */
const GOODBYE_MS = 500;

/** Redirects are followed within the origin only, which is the SDK's default: the headers contain secrets. */
export function httpTransport(
  sdk: typeof Sdk,
  url: string,
  headers: Readonly<Record<string, string>>,
): EndingTransport {
  let closed = false;
  // Only silence of the server ends a call, by its time-out: a body may be a stream that lasts as long as the session.
  const agent = new Agent({ connect: { timeout: CONNECT_MS }, bodyTimeout: 0, headersTimeout: 0 });
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    redirectPolicy: 'same-origin',
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 5000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 2,
    },
    fetch: async (input, init) => {
      const response = await fetch(input, { ...(init as object), dispatcher: agent });
      const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      const body = response.body as ReadableStream<Uint8Array> | null;
      const { status, statusText } = response;
      const bounded = body === null ? null : boundedBody(body, isEvents);
      return new Response(bounded, { status, statusText, headers: [...response.headers] });
    },
  });
  const close = transport.close.bind(transport);
  return Object.assign(transport, {
    ended: () => (closed ? 'it was closed' : null),
    failure: () => null,
    async close() {
      if (closed) return;
      closed = true;
      // The server may be gone, and need not support it.
      await Promise.race([transport.terminateSession().catch(() => {}), sleep(GOODBYE_MS, undefined, { ref: false })]);
      await close();
      await agent.destroy();
    },
  });
}

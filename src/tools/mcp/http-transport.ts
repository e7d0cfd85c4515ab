/** MCP over streamable HTTP: the SDK's transport, with bounded bodies and connections of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import type * as Sdk from '@modelcontextprotocol/client';
import { Agent, fetch } from 'undici';
import { messageOf } from '../../core/errors/errors.ts';
import { boundedBody } from './bounded-body.ts';
import { createMessageGuard, type MessageGuard, UnreadAnswers } from './message-guard.ts';
import { createPace, type Pace } from './pace.ts';
import type { EndingTransport } from './stdio-transport.ts';

const CONNECT_MS = 10_000;
/** How long the end of a session may take at the server. */
const GOODBYE_MS = 500;
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

/** The code of the error that answers a request whose connection ended: the SDK itself would wait until its time-out. */
export const CONNECTION_ENDED = -31_999;

/** Redirects are followed within the origin only: the headers contain secrets. */
export function httpTransport(
  sdk: typeof Sdk,
  url: string,
  headers: Readonly<Record<string, string>>,
): EndingTransport {
  // Only silence of the server ends a call, by its time-out: a body may be a stream that lasts as long as the session.
  const [guard, pace] = [createMessageGuard(), createPace()];
  const agent = new Agent({ connect: { timeout: CONNECT_MS }, bodyTimeout: 0, headersTimeout: 0 });
  const http = new sdk.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    redirectPolicy: 'same-origin',
    reconnectionOptions: RECONNECTION,
    fetch: (input, init) => boundedFetch(input, init, agent, guard, pace),
  });
  const inner: Sdk.Transport = http;
  let lastError = '';
  let closed = false;
  let failed: string | null = null;

  const endRequest = (id: string | number): void => {
    if (closed || !guard.forget(id)) return;
    const message = `the connection ended before the answer${lastError === '' ? '' : ` (${lastError})`}`;
    outer.onmessage?.({ jsonrpc: '2.0', id, error: { code: CONNECTION_ENDED, message } });
  };

  const outer: EndingTransport = {
    hasPerRequestStream: true,
    ended: () => failed ?? (closed ? 'it was closed' : null),
    failure: () => failed,
    get sessionId() {
      return http.sessionId;
    },
    setProtocolVersion: (version) => http.setProtocolVersion(version),
    async start() {
      Object.assign(inner, {
        onmessage(message) {
          if (guard.takes(message)) outer.onmessage?.(message);
        },
        onerror(error) {
          lastError = messageOf(error);
          outer.onerror?.(error);
        },
        onclose: () => outer.onclose?.(),
      } satisfies Pick<Sdk.Transport, 'onmessage' | 'onerror' | 'onclose'>);
      await inner.start();
    },
    async send(message, options) {
      const id = 'method' in message && 'id' in message ? message.id : null;
      const onEnd = id === null ? {} : { onRequestStreamEnd: () => endRequest(id) };
      try {
        await guard.sends(message, () => inner.send(message, { ...options, ...onEnd }));
      } catch (error) {
        if (error instanceof UnreadAnswers) {
          failed = error.message;
          await outer.close();
        }
        throw error;
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      // The server may be gone, and need not support it.
      await Promise.race([http.terminateSession().catch(() => {}), sleep(GOODBYE_MS, undefined, { ref: false })]);
      await inner.close();
      await agent.destroy();
    },
  };
  return outer;
}

async function boundedFetch(
  input: string | URL,
  init: RequestInit | undefined,
  dispatcher: Agent,
  guard: MessageGuard,
  pace: Pace,
): Promise<Response> {
  const response = await fetch(input, { ...(init as object), dispatcher });
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const body = response.body as ReadableStream<Uint8Array> | null;
  const { status, statusText } = response;
  return new Response(body === null ? null : boundedBody(body, isEvents ? 'events' : 'whole', guard, pace), {
    status,
    statusText,
    headers: [...response.headers],
  });
}

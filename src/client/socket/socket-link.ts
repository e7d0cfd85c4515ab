/** One connection of a WebSocket to the API. */
import { ApiError } from '../api-error.ts';
import type { WebSocketClass, WebSocketLike } from '../options.ts';
import { deferred } from './deferred.ts';

/** What the server sends. */
export interface SocketMessage {
  readonly type: string;
  /** Of what the client sent; null: it is about the connection. */
  readonly name: string | null;
  readonly [field: string]: unknown;
}

export interface SocketLink {
  /** Sends a message. False: it was not sent, because the connection is over. Errors: `client.invalid` for one that the server would not take. */
  send(message: object): boolean;
  close(): void;
}

export interface LinkOptions {
  readonly webSocket: WebSocketClass;
  /** How long the connection may take to open, and how long the server may be silent, in milliseconds. */
  readonly silenceMs: number;
  readonly onMessage: (message: SocketMessage) => void;
  /** Called once, after it was open. */
  readonly onEnd: (error: ApiError) => void;
}

/** The subprotocol of the API. A browser can send no header, so the token, if there is one, is the second. */
const SUBPROTOCOL = 'animus.v1';
/** Tokens of animus and JSON Web Tokens; a subprotocol cannot contain everything (RFC 9110, 5.6.2). */
const SENDABLE = /^[\w.-]+$/;
const MAX_MESSAGE_BYTES = 262_144;
/** The close code for a client that may not go on. The message before it says why. */
const NOT_ALLOWED = 1008;
/** So often it is asked whether the other side is there, within the time of silence. */
const PINGS = 3;

/** Opens a connection. Errors: `client.invalid` for a token that no subprotocol can contain; `client.unreachable`, whatever the reason: browsers do not tell it. */
export async function openLink(root: string, token: string | null, options: LinkOptions): Promise<SocketLink> {
  const { webSocket, silenceMs, onMessage, onEnd } = options;
  if (token !== null && !SENDABLE.test(token)) {
    throw new ApiError('client.invalid', 'a WebSocket can send only tokens of animus and JSON Web Tokens');
  }
  const { origin } = new URL(root);
  const socket = new webSocket(
    `${root.replace(/^http/, 'ws')}/socket`,
    token === null ? [SUBPROTOCOL] : [SUBPROTOCOL, `token.${token}`],
  );
  let isOpen = false;
  let heardMs = performance.now();
  let refusal: ApiError | null = null;
  const opened = deferred<void>();

  const end = (error: ApiError) => {
    clearInterval(timer);
    opened.reject(error);
    if (isOpen) onEnd(error);
    isOpen = false;
  };
  const timer = setInterval(() => {
    if (performance.now() - heardMs > silenceMs) {
      end(new ApiError('client.timeout', `${origin} was silent for ${silenceMs} ms`, { retryable: true }));
      closeQuietly(socket);
    } else if (isOpen) socket.send(JSON.stringify({ type: 'ping', name: 'ping' }));
  }, silenceMs / PINGS);

  socket.addEventListener('open', () => {
    isOpen = true;
    heardMs = performance.now();
    opened.resolve();
  });
  socket.addEventListener('message', (event) => {
    heardMs = performance.now();
    const message = messageOf((event as { readonly data?: unknown }).data);
    if (message === null) {
      end(new ApiError('client.protocol', `${origin} sent a message that is not of animus`));
      closeQuietly(socket);
    } else if (message.type === 'error' && message.name === null) refusal = refusalOf(message);
    else if (isOpen) onMessage(message);
  });
  const gone = (event: unknown) => {
    const isRefused = (event as { readonly code?: unknown }).code === NOT_ALLOWED;
    const broke = new ApiError('client.unreachable', `the WebSocket to ${origin} broke`, { retryable: true });
    end((isRefused ? refusal : null) ?? broke);
  };
  socket.addEventListener('error', gone);
  socket.addEventListener('close', gone);
  await opened.promise;
  return {
    send(message) {
      const text = JSON.stringify(message);
      if (new TextEncoder().encode(text).length > MAX_MESSAGE_BYTES) {
        throw new ApiError('client.invalid', `a message of a WebSocket has at most ${MAX_MESSAGE_BYTES} bytes`);
      }
      if (isOpen) socket.send(text);
      return isOpen;
    },
    close() {
      isOpen = false;
      clearInterval(timer);
      closeQuietly(socket);
    },
  };
}

/** The error that the server reports. Its status is not known here. */
export function refusalOf({ code, detail }: SocketMessage): ApiError {
  return new ApiError(String(code) as ApiError['code'], String(detail));
}

function messageOf(data: unknown): SocketMessage | null {
  try {
    const message = JSON.parse(String(data)) as Partial<SocketMessage> | null;
    const isKnown = typeof message?.type === 'string' && (typeof message.name === 'string' || message.name === null);
    return isKnown ? (message as SocketMessage) : null;
  } catch {
    return null;
  }
}

/** Closing a WebSocket that is still connecting is an error for some. */
function closeQuietly(socket: WebSocketLike): void {
  try {
    socket.close(1000);
  } catch {
    // It is closed, or will never open.
  }
}

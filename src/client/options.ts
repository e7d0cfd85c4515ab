/** What a caller may set. */

/** Options of a client. */
export interface ClientOptions {
  /**
   * The address of the server, such as `http://127.0.0.1:7717`. The path of the API may follow it or be left out. Or several addresses, of servers with
   * the same database: one is used until it fails, then the next one.
   */
  readonly baseUrl: string | URL | readonly (string | URL)[];
  /** The bearer token, or a function that returns it and is asked before each request. Null: requests have none, such as those of a page whose browser sends the cookie of its session. */
  readonly token: string | (() => string | Promise<string>) | null;
  /** How often a request is sent again after a connection fault, 429, 502, 503 or 504; default 4 for each address. */
  readonly retries?: number;
  /** How long one attempt may take, in milliseconds; of streams, until their headers; default 60,000. */
  readonly timeoutMs?: number;
  /** Sends a request; default: `fetch` of the platform. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Opens WebSockets; default: `WebSocket` of the platform, which Node has from 22 on. For Node 20: that of the package `ws`. */
  readonly webSocket?: WebSocketClass;
}

/** What the client needs of a WebSocket: that of browsers and of Node, and that of the package `ws`, have it. */
export interface WebSocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'message' | 'error' | 'close', listener: (event: unknown) => void): void;
}
export type WebSocketClass = new (url: string, protocols: string[]) => WebSocketLike;

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, also while it waits to be sent again; the call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
  /** Of a call that changes something: calls with the same key have their effect once, for a day. Default: a new one for each call, kept for its repetitions. */
  readonly idempotencyKey?: string | undefined;
  /** More request headers, such as `Range`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Options of the raw bytes of a stream of events. */
export interface RawOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** The id of the event after which the stream begins (a browser sends it as `Last-Event-ID`), or `now`. */
  readonly after?: string | undefined;
}

/** Options of a stream of events. */
export interface EventOptions {
  /** The id of the event after which to go on, or `now`: what comes. Default: from the beginning. */
  readonly after?: string | undefined;
  /** Ends the stream; the loop then throws the signal's reason. `break` in the loop also ends it. */
  readonly signal?: AbortSignal | undefined;
  /** How long it tries to reach the server again before it throws, in milliseconds; default 300,000. */
  readonly patienceMs?: number | undefined;
  /** How long the server may send nothing before it connects again, in milliseconds; default 45,000. Heartbeats come every 15 s. */
  readonly silenceMs?: number | undefined;
}

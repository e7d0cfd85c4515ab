/** The health report of a running daemon, as /readyz sends it and `animus health` reads it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Service } from './service.ts';

/** `starting` until it takes work, `ending` from the first SIGTERM on. */
export type DaemonPhase = 'starting' | 'serving' | 'ending';

/** The body of /readyz, as it is sent. */
export interface Readiness {
  /** True when this daemon takes work: its phase is `serving` and every check is `ok`. */
  readonly ready: boolean;
  readonly phase: DaemonPhase;
  readonly version: string;
  /** Null before the daemon has registered. */
  readonly daemon_id: string | null;
  /** `ok`, or a description of the problem. */
  readonly checks: {
    readonly database: string;
    readonly schema: string;
    readonly listening: string;
    /** Whether claims bring what is due; absent where the process claims no work, or is of an earlier version. */
    readonly claims?: string;
  };
}

/** Where health is served when animus.toml does not say. */
export const DEFAULT_HTTP = '127.0.0.1:7717';

/** Where health is served. */
export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

/** A service that answers health requests. */
export interface HealthServer extends Service {
  /** The address it listens on, once started. For port 0, the port that the system chose. */
  address(): HttpAddress;
  /** From here on, requests below `/api/` and for the console are answered by it. Only for a server that was created with settings of the API. */
  serveApi(api: HttpApi): void;
}

/** What a connection is used for: an answer, or a stream that stays open (of events, or a WebSocket). */
export type ConnectionUse = 'answer' | 'stream';

/**
 * Marks a connection as one of this person, until the answer has been sent: it is not closed to make room. It raises `http.too_many` for a person who
 * uses too many at once, and `http.too_many_streams` for a stream without room.
 */
export type Admitted = (person: string, use: ConnectionUse) => void;

/** Answers requests below `/api/`, and those for the page of the console. */
export interface HttpApi {
  /** `admitted` is called once it is known who sends it. */
  answer(request: IncomingMessage, response: ServerResponse, admitted: Admitted): void;
  /** Takes a connection that asks for another protocol (WebSocket). Absent: it is closed. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer, admitted: Admitted): void;
  /** Answers a request for the console; false: there is nothing at its path, and nothing was sent. Never rejects. Absent: there is no console. */
  page?(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Lets the requests under way end, for some seconds, and ends all streams. */
  stop(): Promise<void>;
}

/** Creates the service that answers health requests at `address`; `look` never rejects. With `api`, it also serves the API. */
export type OpenHealth = (
  address: HttpAddress,
  look: () => Promise<Readiness>,
  /** `slowestReaderMs`: see slow-readers.ts; default a minute. */
  api?: { readonly maxConnections: number; readonly slowestReaderMs?: number },
) => HealthServer;

/** `host:port`, with an IPv6 address in brackets. */
export function showAddress({ host, port }: HttpAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

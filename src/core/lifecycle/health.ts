/** What a running daemon tells about itself: the words that /readyz, `animus health` and an orchestrator share. */
import type { Service } from './service.ts';

/** `starting` until it takes work, `ending` from the first SIGTERM on. */
export type DaemonPhase = 'starting' | 'serving' | 'ending';

/** The body of /readyz, as it is sent. */
export interface Readiness {
  /** True when this daemon takes work: it serves, and every check is `ok`. */
  readonly ready: boolean;
  readonly phase: DaemonPhase;
  readonly version: string;
  /** Null before the daemon has one. */
  readonly daemon_id: string | null;
  /** `ok`, or what is wrong, in words. */
  readonly checks: {
    readonly database: string;
    readonly schema: string;
    readonly listening: string;
  };
}

/** Where health is served. */
export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

/** A service that answers health requests. */
export interface HealthServer extends Service {
  /** Where it listens, once started: the port that the system chose where 0 was asked for. */
  address(): HttpAddress;
}

/** Makes the service that answers health requests at `address`; `look` never rejects. */
export type OpenHealth = (address: HttpAddress, look: () => Promise<Readiness>) => HealthServer;

/** `host:port`, with an IPv6 address in brackets. */
export function showAddress({ host, port }: HttpAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

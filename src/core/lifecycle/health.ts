/** The health report of a running daemon, as /readyz sends it and `animus health` reads it. */
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
  };
}

/** Where health is served. */
export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

/** A service that answers health requests. */
export interface HealthServer extends Service {
  /** The address it listens on, once started. For port 0, the port that the system chose. */
  address(): HttpAddress;
}

/** Creates the service that answers health requests at `address`; `look` never rejects. */
export type OpenHealth = (address: HttpAddress, look: () => Promise<Readiness>) => HealthServer;

/** `host:port`, with an IPv6 address in brackets. */
export function showAddress({ host, port }: HttpAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

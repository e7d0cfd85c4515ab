/** The health of this daemon, from its start to its stop. */

import type { Config } from '../../core/config/config.ts';
import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import {
  type DaemonPhase,
  type HealthServer,
  type HttpAddress,
  type HttpApi,
  type OpenHealth,
  type Readiness,
  showAddress,
} from '../../core/lifecycle/health.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { checkCompatible } from '../../store/migrations/compatibility.ts';
import type { Notifications } from '../../store/postgres/notifications.ts';
import type { Database } from '../../store/sql/database.ts';
import type { ServiceBase } from '../parts/service-base.ts';
import { recordHealth } from './health-records.ts';

interface AnnouncedDaemon extends Pick<ServiceBase, 'clock' | 'log'> {
  readonly http: Config['daemon']['http'];
  /** Null: the API is not served. */
  readonly api: { readonly maxConnections: number } | null;
  /** Where `animus health` looks for the address. */
  readonly home: string;
  readonly version: string;
  readonly daemonId: string;
  /** Absent: health is not served, as in the demo. */
  readonly openHealth: OpenHealth | undefined;
}

/** Serves health from `start` to `stop`; parts that have not started are reported as such. */
export interface DaemonReadiness extends Service {
  /** From here on the database is checked. */
  watchDatabase(db: Database): void;
  watchNotifications(notifications: Notifications): void;
  /** `claims` says `ok`, or since when nothing could be claimed although work is due. */
  watchClaims(claims: () => string): void;
  enter(phase: DaemonPhase): void;
  /** From here on the API is answered at the same address. */
  serveApi(api: HttpApi): void;
  /** Where it listens; null: nowhere. */
  address(): HttpAddress | null;
}

/** A database that takes longer than this to return its schema version is not usable. */
const LOOK_MS = 3000;

/**
 * `start` rejects with `http.unavailable` when it cannot listen on the configured address. When the default port is taken, it listens on
 * another.
 */
export function createReadiness(daemon: AnnouncedDaemon): DaemonReadiness {
  const { http, clock, log } = daemon;
  let phase: DaemonPhase = 'starting';
  let db: Database | null = null;
  let notifications: Notifications | null = null;
  let claimsNow: (() => string) | null = null;
  let checking: Promise<DatabaseChecks> | null = null;
  let server: HealthServer | null = null;
  let removeRecord: (() => void) | null = null;

  async function look(): Promise<Readiness> {
    const { database, schema } = await checkWithin();
    const listening = notifications?.listening() ? 'ok' : 'no LISTEN connection; work is found by polling only';
    const claims = claimsNow?.() ?? 'ok';
    const ready = phase === 'serving' && [database, schema, listening, claims].every((check) => check === 'ok');
    return {
      ready,
      phase,
      version: daemon.version,
      daemon_id: daemon.daemonId,
      checks: { database, schema, listening, claims },
    };
  }

  /** A hanging check is not started a second time: it would use another connection of the pool. */
  async function checkWithin(): Promise<DatabaseChecks> {
    if (db === null) return { database: 'not connected yet', schema: UNKNOWN };
    const done = new AbortController();
    checking ??= checkDatabase(db).finally(() => {
      checking = null;
    });
    const late = clock
      .sleep(LOOK_MS, done.signal)
      .then(() => ({ database: `no answer within ${LOOK_MS / 1000} s`, schema: UNKNOWN }));
    try {
      return await Promise.race([checking, late]);
    } finally {
      done.abort();
    }
  }

  return {
    watchDatabase: (opened) => void (db = opened),
    watchNotifications: (opened) => void (notifications = opened),
    watchClaims: (claims) => void (claimsNow = claims),
    enter: (next) => void (phase = next),
    serveApi(api) {
      if (server === null) return;
      server.serveApi(api);
      log.info({ address: showAddress(server.address()) }, 'answering the API at /api/v1');
    },
    address: () => server?.address() ?? null,
    async start() {
      const open = daemon.openHealth;
      if (http === null || open === undefined) return;
      const opened = await openSomewhere((address) => open(address, look, daemon.api ?? undefined), http);
      server = opened;
      removeRecord = recordHealth(daemon.home, daemon.daemonId, opened.address());
      log.info({ address: showAddress(opened.address()) }, 'answering health checks at /healthz and /readyz');
    },
    async stop() {
      removeRecord?.();
      await server?.stop();
    },
  };
}

/**
 * Several daemons on one host are common: when the default address is taken, the system chooses a port. A configured address is mandatory.
 */
async function openSomewhere(
  open: (address: HttpAddress) => HealthServer,
  http: NonNullable<AnnouncedDaemon['http']>,
): Promise<HealthServer> {
  const wanted = open(http);
  try {
    await wanted.start();
    return wanted;
  } catch (error) {
    if (http.configured || !isAnimusError(error, 'http.unavailable')) throw error;
  }
  const other = open({ host: http.host, port: 0 });
  await other.start();
  return other;
}

interface DatabaseChecks {
  readonly database: string;
  readonly schema: string;
}

const UNKNOWN = 'not known';

/** Never rejects: a failure is a result of the check. */
async function checkDatabase(db: Database): Promise<DatabaseChecks> {
  try {
    await checkCompatible(db);
    return { database: 'ok', schema: 'ok' };
  } catch (error) {
    const aboutSchema = isAnimusError(error, 'db.not_migrated', 'db.schema_older', 'db.schema_newer');
    return aboutSchema ? { database: 'ok', schema: error.message } : { database: messageOf(error), schema: UNKNOWN };
  }
}

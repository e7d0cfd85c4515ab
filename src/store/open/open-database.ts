/** The database of this configuration: DATABASE_URL, or the embedded one. */
import type { Config } from '../../core/config/config.ts';
import type { Log } from '../../telemetry/log.ts';
import { openPostgres } from '../postgres/postgres.ts';
import type { Database } from '../sql/database.ts';

/** How long `serve` waits for a command that has the embedded database open. */
const SERVE_WAIT_MS = 5000;

/**
 * Opens it. A daemon owns the embedded database; a command connects to the running daemon's, or opens it for itself. A
 * Postgres server is not contacted before the first query.
 */
export async function openConfiguredDatabase(
  config: Pick<Config, 'home' | 'databaseUrl'>,
  options: {
    readonly role: 'daemon' | 'command';
    readonly log: Log /** Default 2: a command's. */;
    readonly poolSize?: number;
    /** Of a daemon's connections to a server (`sessionName`). */
    readonly applicationName?: string;
  },
): Promise<Database> {
  const { role, log, poolSize = 2 } = options;
  if (config.databaseUrl) {
    return openPostgres(config.databaseUrl.reveal(), {
      poolSize,
      applicationName: options.applicationName ?? 'animus',
      // A command runs each statement once or twice, so preparing gains nothing and causes problems behind a pooler.
      prepare: role === 'daemon',
      log,
    });
  }
  if (role === 'command') {
    const { connectOrOpenEmbedded } = await import('../embedded/connect-embedded.ts');
    return connectOrOpenEmbedded({ home: config.home, log });
  }
  const { openEmbedded } = await import('../embedded/embedded.ts');
  return openEmbedded({ home: config.home, waitMs: SERVE_WAIT_MS, log });
}

/** A migrated database for a benchmark: BENCH_DATABASE_URL, or a separate server with default durability. */

import { migrate } from '../../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { startPostgresServer } from '../../support/postgres-server.ts';

/** Opens it; `close` stops the server too. */
export async function benchDatabase(poolSize = 20): Promise<{ readonly db: Database; close(): Promise<void> }> {
  const server = await benchServer();
  const db = openPostgres(server.url, { poolSize });
  return {
    db,
    async close() {
      await db.close();
      await server.stop();
    },
  };
}

/** The same for processes that open it themselves. `place`: as for `startPostgresServer`; a commit waits for a disk only if the data are on one. */
export async function benchServer(place?: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const given = process.env['BENCH_DATABASE_URL'];
  // The last setting of a name wins: what tests turn off for speed is on here.
  const server = given ? null : await startPostgresServer(['-c', 'fsync=on'], place);
  const url = given ?? server!.url;
  const db = openPostgres(url, { poolSize: 1 });
  await migrate(db);
  await db.close();
  return { url, stop: async () => server?.stop() };
}

/** The median of an odd number of runs. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** Crashes of a test's own server that take along what it had not written to its log yet. */
import { afterAll, beforeAll } from 'vitest';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { eventually } from './eventually.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

/** A migrated database on a server of the file's own, to be crashed; there from the first test on. */
export function crashableDatabase(): { readonly database: Database } {
  let server: PostgresServer;
  let database: Database;
  beforeAll(async () => {
    server = await startPostgresServer();
    database = openPostgres(server.url);
    await migrate(database);
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
  });
  return {
    get database() {
      return database;
    },
  };
}

/** From here on commits that do not wait for the disk stay in memory: the log's writer alone would write them. */
export async function keepCommitsInMemory(db: Database): Promise<void> {
  process.kill(await writerOf(db), 'SIGSTOP');
}

/**
 * A server that loses one of its processes forgets its memory and recovers from its log, as after a crash of its machine. Resolves
 * when it answers again.
 */
export async function crashServer(db: Database): Promise<void> {
  const before = await writerOf(db);
  process.kill(before, 'SIGKILL');
  await eventually('the server is back', async () => {
    const pid = await writerOf(db).catch(() => before);
    return pid === before ? null : pid;
  });
}

async function writerOf(db: Database): Promise<number> {
  const [row] = await db.query<{ pid: number }>(`select pid from pg_stat_activity where backend_type = 'walwriter'`);
  return row!.pid;
}

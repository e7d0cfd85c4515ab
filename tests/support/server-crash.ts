/** Crashes of a test's own server that lose everything it had not written to its WAL yet. */
import { afterAll, beforeAll } from 'vitest';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { eventually } from './eventually.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

/** A migrated database on a separate server that may crash; available from the first test on. */
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

/** From here on, commits that do not wait for the disk stay in memory: only the WAL writer would write them, and it is stopped. */
export async function keepCommitsInMemory(db: Database): Promise<void> {
  process.kill(await writerOf(db), 'SIGSTOP');
}

/**
 * Kills a process of the server, which then discards its memory and recovers from its WAL, as after a crash of the machine. Resolves
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

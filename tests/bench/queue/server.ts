/** A server with default durability, and fresh databases on it. */
import { randomBytes } from 'node:crypto';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { startPostgresServer } from '../../support/postgres-server.ts';

export interface BenchServer {
  readonly version: string;
  /** A connection string to a new, empty database. */
  fresh(): Promise<string>;
  /** The same, with animus's schema. */
  migrated(): Promise<string>;
  /** The server's counters so far: for the database of `url`, and for the whole server for the WAL. */
  work(url: string): Promise<ServerWork>;
  stop(): Promise<void>;
}

/** Ended transactions, flushes of the WAL, and its bytes. A statement outside a transaction counts as one transaction and one round trip. */
export interface ServerWork {
  readonly transactions: number;
  readonly syncs: number;
  readonly bytes: number;
}

/** BENCH_DATABASE_URL (a superuser's), or the binaries of the npm package with PostgreSQL's default fsync. */
export async function openBenchServer(): Promise<BenchServer> {
  const given = process.env['BENCH_DATABASE_URL'];
  const server = given ? null : await startPostgresServer(['-c', 'fsync=on']);
  const url = given ?? server!.url;
  const admin = openPostgres(url, { poolSize: 1 });
  const names: string[] = [];
  const [row] = await admin.query<{ version: string; fsync: string; commit: string }>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`,
  );
  const fresh = async () => {
    const name = `animus_bench_${randomBytes(4).toString('hex')}`;
    await admin.query(`create database ${name}`);
    names.push(name);
    const target = new URL(url);
    target.pathname = `/${name}`;
    return target.href;
  };
  return {
    version: `PostgreSQL ${row!.version}, fsync ${row!.fsync}, synchronous_commit ${row!.commit}`,
    fresh,
    async migrated() {
      const target = await fresh();
      await withPool(target, (db) => migrate(db));
      return target;
    },
    async work(url) {
      const [row] = await admin.query<{ transactions: string; syncs: string; bytes: string }>(WORK, [
        new URL(url).pathname.slice(1),
      ]);
      return { transactions: Number(row!.transactions), syncs: Number(row!.syncs), bytes: Number(row!.bytes) };
    },
    async stop() {
      for (const name of names) await admin.query(`drop database if exists ${name} with (force)`);
      await admin.close();
      await server?.stop();
    },
  };
}

/** PostgreSQL 18 moved the count of flushes from pg_stat_wal to pg_stat_io; both are read by name, so that either may be missing. */
const WORK = `
  select (select xact_commit + xact_rollback from pg_stat_database where datname = $1) as transactions,
         coalesce((select to_jsonb(w) ->> 'wal_sync' from pg_stat_wal w),
                  (select sum((to_jsonb(i) ->> 'fsyncs')::bigint)::text from pg_stat_io i where i.object = 'wal'))::bigint as syncs,
         pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`;

/** Opens a pool for the duration of `work`. */
export async function withPool<T>(url: string, work: (db: Database) => Promise<T>, poolSize = 10): Promise<T> {
  const db = openPostgres(url, { poolSize });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

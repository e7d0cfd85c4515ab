/** The driver behind the port: a pool of node-postgres connections, whose failures carry animus codes. */
import { Client, Pool, type PoolClient } from 'pg';
import { AnimusError } from '../core/errors.ts';
import { type Log, silentLog } from '../telemetry/log.ts';
import type { Database, Queryable } from './database.ts';
import { connectError, statementError } from './database-errors.ts';

export interface PostgresOptions {
  /** Connections at most; default 10. */
  readonly poolSize?: number;
  /** Shown in pg_stat_activity; default `animus`. */
  readonly applicationName?: string;
  /** `embedded` when the other side is PGlite; default `postgres`. */
  readonly kind?: Database['kind'];
  /** How long a call waits for a connection, free or new; default 10,000 ms. */
  readonly connectTimeoutMs?: number;
  readonly log?: Log;
}

/**
 * Opens a pool; the first query connects. Values arrive as node-postgres gives them: bigint and numeric as strings,
 * jsonb parsed, timestamptz as Date. A broken connection fails the call that was using it (`db.unreachable`) and is
 * replaced for the next one; nothing is repeated behind the caller's back. Safe for concurrent use.
 *
 * Errors: `db.unreachable`, `db.refused`, `config.invalid` for a connection string that cannot be read; statements raise
 * the driver's DatabaseError, except SQLSTATEs of class WA, which become the `work.*` errors they stand for.
 */
export function openPostgres(connectionString: string, options: PostgresOptions = {}): Database {
  const where = locate(connectionString);
  const { poolSize = 10, connectTimeoutMs = 10_000, log = silentLog } = options;
  const pool = new Pool({
    connectionString,
    max: poolSize,
    application_name: options.applicationName ?? 'animus',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  });
  // An idle connection that breaks is replaced on the next call; without a listener its error would end the process.
  pool.on('error', (error) => log.debug({ error: error.message, where }, 'an idle database connection broke'));
  let closed: Promise<void> | undefined;

  const connect = async (): Promise<PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      throw connectError(error, where, `${pool.totalCount - pool.idleCount} of ${poolSize} connections in use`);
    }
  };

  return {
    where,
    kind: options.kind ?? 'postgres',
    connectionString,
    query: async (sql, params) => {
      const client = await connect();
      return withClient(client, () => run(client, where, sql, params));
    },
    transaction: async (work) => {
      const client = await connect();
      return withClient(client, () => inTransaction(client, where, work));
    },
    close: () => (closed ??= pool.end()),
  };
}

/** Gives the connection back to the pool, or destroys it when its socket broke or its transaction could not be ended. */
async function withClient<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  let broken: Error | undefined;
  const onError = (error: Error) => (broken = error);
  client.on('error', onError);
  try {
    return await work();
  } catch (error) {
    if (error instanceof RollbackFailed) {
      broken = error;
      throw error.first;
    }
    if (error instanceof AnimusError && error.code === 'db.unreachable') broken = error;
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

async function inTransaction<T>(client: PoolClient, where: string, work: (tx: Queryable) => Promise<T>): Promise<T> {
  await run(client, where, 'begin');
  let result: T;
  try {
    result = await work({ query: (sql, params) => run(client, where, sql, params) });
  } catch (error) {
    try {
      await client.query('rollback');
    } catch {
      throw new RollbackFailed(error);
    }
    throw error;
  }
  const ended = await runRaw(client, where, 'commit');
  // A commit of a transaction in which a caught error left the state «aborted» is a rollback, and the server only says so in its tag.
  if (ended.command === 'ROLLBACK') {
    throw new AnimusError('internal.bug', {
      detail: 'a transaction went on after a failed statement and was rolled back',
    });
  }
  return result;
}

class RollbackFailed extends Error {
  readonly first: unknown;
  constructor(first: unknown) {
    super('the transaction could not be rolled back');
    this.first = first;
  }
}

async function run<Row extends object>(
  client: PoolClient,
  where: string,
  sql: string,
  params?: readonly unknown[],
): Promise<Row[]> {
  const result = await runRaw(client, where, sql, params);
  // Several statements in one text give one result each; the port's contract is the last one's rows.
  const last = Array.isArray(result) ? result.at(-1) : result;
  return last.rows as Row[];
}

async function runRaw(client: PoolClient, where: string, sql: string, params?: readonly unknown[]) {
  try {
    return params === undefined ? await client.query(sql) : await client.query(sql, [...params]);
  } catch (error) {
    throw statementError(error, where);
  }
}

function locate(connectionString: string): string {
  try {
    const { host, port, database } = new Client({ connectionString });
    return host.startsWith('/') ? `${host}/.s.PGSQL.${port}/${database}` : `${host}:${port}/${database}`;
  } catch {
    // The driver's own message may quote the string, and the string holds a password.
    throw new AnimusError('config.invalid', {
      file: 'environment',
      key: 'DATABASE_URL',
      expected: 'postgres://user:password@host:port/database',
      value: 'a text that cannot be read as one (not shown: it may hold a password)',
    });
  }
}

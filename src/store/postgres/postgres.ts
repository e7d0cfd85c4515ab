/** The driver behind the port: a pool of node-postgres connections, whose failures carry animus codes. */
import { createHash } from 'node:crypto';
import { Client, type PoolClient } from 'pg';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { silentLog } from '../../telemetry/silent-log.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { connectError, isLostPreparation, isLostServer, isStalePlan, statementError } from '../sql/database-errors.ts';
import { openReplaceablePool, type TakenClient } from './replaceable-pool.ts';

export interface PostgresOptions {
  /** Connections at most; default 10. */
  readonly poolSize?: number;
  /** Shown in pg_stat_activity; default `animus`. */
  readonly applicationName?: string;
  /** `embedded` when the other side is PGlite; default `postgres`. */
  readonly kind?: Database['kind'];
  /** How long a call waits for a connection, free or new; default 10,000 ms. */
  readonly connectTimeoutMs?: number;
  /**
   * Statements with parameters, outside of transactions, are prepared once per connection; default true, and false for
   * embedded. Behind a transaction pooler that does not carry prepared statements (pgbouncer before 1.21) the first one that
   * is refused for it is run again without, and none is prepared any more.
   */
  readonly prepare?: boolean;
  readonly log?: Log;
}

/**
 * Opens a pool; the first query connects. Values arrive as node-postgres gives them: bigint and numeric as strings,
 * jsonb parsed, timestamptz as Date. A broken connection fails the call that was using it (`db.unreachable`) and is
 * replaced for the next one; no statement is repeated implicitly. Safe for concurrent use.
 *
 * Errors: `db.unreachable`, `db.refused`, `config.invalid` for a connection string that cannot be read; statements raise
 * the driver's DatabaseError, except SQLSTATEs of class WA, which become the `work.*` errors they stand for.
 */
export function openPostgres(connectionString: string, options: PostgresOptions = {}): Database {
  const where = locate(connectionString);
  const { poolSize = 10, connectTimeoutMs = 10_000, log = silentLog, kind = 'postgres' } = options;
  const plain: Session = { where, nameOf: () => undefined };
  let prepared: Session = (options.prepare ?? kind === 'postgres') ? { where, nameOf: statementNames() } : plain;
  const pool = openReplaceablePool(
    {
      connectionString,
      max: poolSize,
      application_name: options.applicationName ?? 'animus',
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    },
    (error) => log.debug({ error: error.message, where }, 'lost an idle database connection'),
  );
  let closed: Promise<void> | undefined;

  /** Runs `work` on a connection, then releases the connection, or destroys it when it is unusable. */
  const withClient = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    let taken: TakenClient;
    try {
      taken = await pool.take();
    } catch (error) {
      throw connectError(error, where, `${pool.inUse()} of ${poolSize} connections in use`);
    }
    let broken = false;
    try {
      return await work(taken.client);
    } catch (thrown) {
      const error = thrown instanceof RollbackFailed ? thrown.first : thrown;
      const lost = isLostServer(error);
      broken = lost || thrown instanceof RollbackFailed || isStalePlan(error);
      if (lost) pool.replace(taken);
      throw error;
    } finally {
      pool.giveBack(taken, broken);
    }
  };

  return {
    where,
    kind,
    connectionString,
    async query(sql, params) {
      try {
        return await withClient((client) => run(client, prepared, sql, params));
      } catch (error) {
        if (prepared === plain || !isLostPreparation(error)) throw error;
        // It was refused before it ran, outside of a transaction: running it again repeats nothing.
        prepared = plain;
        log.warn(
          { where },
          'prepared statements are lost between calls (a transaction pooler?); continuing without them',
        );
        return withClient((client) => run(client, plain, sql, params));
      }
    },
    // A transaction cannot be taken up after a refused statement, so it risks none; the hot paths are single statements.
    transaction: (work) => withClient((client) => inTransaction(client, plain, work)),
    close: () => (closed ??= pool.close()),
  };
}

interface Session {
  readonly where: string;
  /** The name to prepare a statement under, or undefined for none. */
  readonly nameOf: (sql: string) => string | undefined;
}

/** Names by content. Measured against unnamed statements: 1.2 times the throughput for trivial ones, up to 2 where planning is dear. */
function statementNames(): Session['nameOf'] {
  const names = new Map<string, string>();
  return (sql) => {
    const known = names.get(sql);
    // Texts are constants of this program; a caller that builds them must not fill the server's memory.
    if (known !== undefined || names.size >= MAX_PREPARED) return known;
    const name = `animus_${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`;
    names.set(sql, name);
    return name;
  };
}

const MAX_PREPARED = 500;

async function inTransaction<T>(client: PoolClient, session: Session, work: (tx: Queryable) => Promise<T>): Promise<T> {
  await run(client, session, 'begin');
  let result: T;
  try {
    result = await work({ query: (sql, params) => run(client, session, sql, params) });
  } catch (error) {
    try {
      await client.query('rollback');
    } catch {
      throw new RollbackFailed(error);
    }
    throw error;
  }
  const ended = await runRaw(client, session, 'commit');
  // A commit of a transaction in which a caught error left the state «aborted» is a rollback, and the server only says so in its tag.
  if (ended.command === 'ROLLBACK') {
    throw new AnimusError('internal.bug', {
      detail: 'a transaction continued after a failed statement and was rolled back',
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
  session: Session,
  sql: string,
  params?: readonly unknown[],
): Promise<Row[]> {
  const result = await runRaw(client, session, sql, params);
  // Several statements in one text give one result each; the port's contract is the last one's rows.
  const last = Array.isArray(result) ? result.at(-1) : result;
  return last.rows as Row[];
}

async function runRaw(client: PoolClient, session: Session, sql: string, params?: readonly unknown[]) {
  try {
    // Without parameters the simple protocol is used, which takes several statements in one text.
    if (params === undefined) return await client.query(sql);
    return await client.query({ name: session.nameOf(sql), text: sql, values: [...params] });
  } catch (error) {
    throw statementError(error, session.where);
  }
}

function locate(connectionString: string): string {
  try {
    const { host, port, database } = new Client({ connectionString });
    return host.startsWith('/') ? `${host}/.s.PGSQL.${port}/${database}` : `${host}:${port}/${database}`;
  } catch (error) {
    // The driver reads the files of certificates at once.
    const { code, path } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_INVALID_URL' && path !== undefined) {
      throw new AnimusError('config.unreadable', { file: path, detail: `${code} (named in DATABASE_URL)` });
    }
    // The driver's own message may quote the string, and the string holds a password.
    throw new AnimusError('config.invalid', {
      file: 'environment',
      key: 'DATABASE_URL',
      expected: 'postgres://user:password@host:port/database',
      value: 'a text that cannot be read as one (not shown: it may hold a password)',
    });
  }
}

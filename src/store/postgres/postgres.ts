/** Implements the database port with a pool of node-postgres connections. Failures have animus error codes. */
import type { PoolClient } from 'pg';
import type { Log } from '../../telemetry/log.ts';
import { silentLog } from '../../telemetry/silent-log.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { connectError, isLostPreparation, isLostServer, isStalePlan, isUndone } from '../sql/database-errors.ts';
import { locate } from './locate.ts';
import { openReplaceablePool, type TakenClient } from './replaceable-pool.ts';
import {
  inTransaction,
  isUnprepared,
  RollbackFailed,
  runStatement,
  runTogether,
  type Session,
  statementNames,
  withReason,
} from './session.ts';
import { settleSession, TYPES } from './session-settings.ts';

export interface PostgresOptions {
  /** Maximum number of connections; default 10. */
  readonly poolSize?: number;
  /** Shown in pg_stat_activity; default `animus`. */
  readonly applicationName?: string;
  /** `embedded` if the server is PGlite; default `postgres`. */
  readonly kind?: Database['kind'];
  /** How long a call waits for a free or new connection; default 10,000 ms. */
  readonly connectTimeoutMs?: number;
  /**
   * Whether statements with parameters are prepared once per connection; default true, and false for embedded. Some
   * transaction poolers do not support prepared statements (pgbouncer before 1.21). When a statement fails for that
   * reason, it is run again unprepared, with its whole transaction, and no further statement is prepared.
   */
  readonly prepare?: boolean;
  readonly log?: Log;
}

/**
 * Opens a pool; the first query connects. Values have node-postgres's types: bigint and numeric are strings, jsonb is
 * parsed, timestamptz is a Date. If a connection breaks, the call that was using it fails (`db.unreachable`), and the next
 * call gets a new one. No statement is repeated implicitly, apart from the case described at `prepare`. Safe for
 * concurrent use.
 *
 * Errors: `db.unreachable`; `db.refused`; `config.invalid` for a connection string that cannot be parsed. Statements throw
 * the driver's DatabaseError, except that SQLSTATEs of class WA become the corresponding `work.*` errors.
 */
export function openPostgres(connectionString: string, options: PostgresOptions = {}): Database {
  const where = locate(connectionString);
  const { poolSize = 10, connectTimeoutMs = 10_000, log = silentLog, kind = 'postgres' } = options;
  const plain: Session = { where, nameOf: () => undefined };
  let preparing: Session = (options.prepare ?? kind === 'postgres') ? { where, nameOf: statementNames() } : plain;
  const pool = openReplaceablePool(
    {
      connectionString,
      max: poolSize,
      application_name: options.applicationName ?? 'animus',
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      types: TYPES,
      // The only session of an embedded database is shared, and its settings are animus's.
      // oxlint-disable-next-line no-misused-promises -- pg-pool waits for it; its type does not say so.
      ...(kind === 'postgres' && { onConnect: (client) => settleSession(client, connectTimeoutMs) }),
    },
    (error) => log.debug({ error: error.message, where }, 'lost an idle database connection'),
  );
  let closed: Promise<void> | undefined;

  /** Runs `work` on a connection, then releases the connection, or destroys it if it is unusable. */
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

  /** Runs it again, unprepared, if the server has lost what was prepared. That happens only before a statement runs, and what came before it is rolled back. */
  const prepared = async <T>(ask: (client: PoolClient, session: Session) => Promise<T>): Promise<T> => {
    const session = preparing;
    try {
      return await withClient((client) => ask(client, session));
    } catch (error) {
      if (session === plain || !isUnprepared(error)) throw error;
      // Several may be refused at once.
      if (isLostPreparation(error)) {
        if (preparing !== plain)
          log.warn(
            { where },
            'prepared statements are lost between calls (a transaction pooler?); continuing without them',
          );
        preparing = plain;
      }
      return withClient((client) => ask(client, plain));
    }
  };
  const query: Queryable['query'] = (sql, params) =>
    prepared((client, session) =>
      explained(client, sql, async () => (await runStatement(client, session, sql, params)).rows as never[]),
    );

  return {
    where,
    kind,
    connectionString,
    // A text without parameters may be several statements of a person, some of them committed.
    query: (sql, params) => (params === undefined ? query(sql) : runAgain(() => query(sql, params))),
    queryAfter: (opening, sql, params = []) =>
      runAgain(() =>
        prepared((client, session) =>
          explained(
            client,
            sql,
            async () => (await runTogether(client, session, [opening, { sql, params }])).rows as never[],
          ),
        ),
      ),
    transaction: (work, opening) =>
      runAgain(() => prepared((client, session) => inTransaction(client, session, work, opening ? [opening] : []))),
    close: () => (closed ??= pool.close()),
  };
}

/** Runs it again if another transaction undid it. Loaded when it is needed: commands of people start quicker. */
async function runAgain<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUndone(error)) throw error;
    const { untilDone } = await import('./run-again.ts');
    return untilDone(write);
  }
}

/** Says of a statement outside of a transaction what it needs, if it was refused. */
async function explained<T>(client: PoolClient, sql: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw await withReason(error, sql, client);
  }
}

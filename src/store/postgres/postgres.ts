/** Implements the database port with a pool of node-postgres connections. Failures have animus error codes. */
import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import { AnimusError, isAnimusError } from '../../core/errors/errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { silentLog } from '../../telemetry/silent-log.ts';
import type { Database, Queryable } from '../sql/database.ts';
import {
  connectError,
  isLostPreparation,
  isLostServer,
  isStalePlan,
  isUndone,
  statementError,
} from '../sql/database-errors.ts';
import type { GuardedClient } from './guarded-client.ts';
import { locate } from './locate.ts';
import { openReplaceablePool, type TakenClient } from './replaceable-pool.ts';
import { refusedTime, settleSession, TYPES } from './session-settings.ts';

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
   * Whether statements with parameters are prepared once per connection, outside of transactions; default true, and false
   * for embedded. Some transaction poolers do not support prepared statements (pgbouncer before 1.21). When a statement
   * fails for that reason, it is run again unprepared, and no further statement is prepared.
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
  let prepared: Session = (options.prepare ?? kind === 'postgres') ? { where, nameOf: statementNames() } : plain;
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

  const query: Queryable['query'] = async (sql, params) => {
    const session = prepared;
    try {
      return await withClient((client) => explained(client, sql, () => run(client, session, sql, params)));
    } catch (error) {
      if (session === plain || !isLostPreparation(error)) throw error;
      // The statement was refused before it ran, outside of a transaction, so it is safe to run it again. Several may be refused at once.
      if (prepared !== plain)
        log.warn(
          { where },
          'prepared statements are lost between calls (a transaction pooler?); continuing without them',
        );
      prepared = plain;
      return withClient((client) => run(client, plain, sql, params));
    }
  };

  return {
    where,
    kind,
    connectionString,
    // A text without parameters may be several statements of a person, some of them committed.
    query: (sql, params) => (params === undefined ? query(sql) : runAgain(() => query(sql, params))),
    // Never prepare in a transaction: it could not continue after a refused statement. Hot paths are single statements anyway.
    transaction: (work) => runAgain(() => withClient((client) => inTransaction(client, plain, work))),
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

interface Session {
  readonly where: string;
  /** The name for preparing a statement, or undefined to run it unprepared. */
  readonly nameOf: (sql: string) => string | undefined;
}

/** Derives names from the statements' text. Measured throughput against unnamed statements: 1.2 times for trivial ones, up to twice where planning is expensive. */
function statementNames(): Session['nameOf'] {
  const names = new Map<string, string>();
  return (sql) => {
    const known = names.get(sql);
    // Statements are constants of this program. If a caller builds them at run time anyway, this bound protects the server's memory.
    if (known !== undefined || names.size >= MAX_PREPARED) return known;
    const name = `animus_${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`;
    names.set(sql, name);
    return name;
  };
}

const MAX_PREPARED = 500;

async function inTransaction<T>(client: PoolClient, session: Session, work: (tx: Queryable) => Promise<T>): Promise<T> {
  await run(client, session, 'begin isolation level read committed');
  let result: T;
  let statement = '';
  let failed: unknown;
  const tx: Queryable = {
    query: (sql, params) =>
      run(client, session, (statement = sql), params).catch((error: unknown) => {
        throw (failed = error);
      }) as Promise<never>,
  };
  try {
    result = await work(tx);
  } catch (error) {
    try {
      await client.query('rollback');
    } catch {
      throw new RollbackFailed(error);
    }
    throw await withReason(error, statement, client);
  }
  const ended = await runRaw(client, session, 'commit');
  // If a statement failed and the caller caught the error, the transaction is aborted and `commit` rolls it back. The server
  // reports this only in the command tag.
  if (ended.command === 'ROLLBACK') {
    if (isUndone(failed)) throw failed;
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

/** Says of a statement outside of a transaction what it needs, if it was refused. */
async function explained<T>(client: PoolClient, sql: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw await withReason(error, sql, client);
  }
}

/** The error, or that of a refused statement with what helps. Loaded when it is needed: commands of people start quicker. */
async function withReason(error: unknown, sql: string, client: PoolClient): Promise<unknown> {
  if (!isAnimusError(error, 'db.forbidden')) return error;
  const { explainRefusal } = await import('./explain-refusal.ts');
  return explainRefusal(error, sql, {
    query: async (text, params = []) => (await client.query(text, [...params])).rows,
  });
}

async function run<Row extends object>(
  client: PoolClient,
  session: Session,
  sql: string,
  params?: readonly unknown[],
): Promise<Row[]> {
  const result = await runRaw(client, session, sql, params);
  // A text with several statements gives one result each; the port returns the rows of the last one.
  const last = Array.isArray(result) ? result.at(-1) : result;
  return last.rows as Row[];
}

async function runRaw(client: PoolClient, session: Session, sql: string, params?: readonly unknown[]) {
  try {
    // Without parameters, use the simple protocol, which accepts several statements in one text.
    if (params === undefined) return await client.query(sql);
    return await client.query({ name: session.nameOf(sql), text: sql, values: [...params] });
  } catch (error) {
    const { lostBy } = client as PoolClient & GuardedClient;
    throw refusedTime(error, session.where) ?? statementError(lostBy ?? error, session.where);
  }
}

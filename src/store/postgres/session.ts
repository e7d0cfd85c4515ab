/** Statements and transactions on one connection; what they throw has animus error codes. */
import { createHash } from 'node:crypto';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { AnimusError, isAnimusError } from '../../core/errors/errors.ts';
import type { Queryable, Statement } from '../sql/database.ts';
import { isLostPreparation, isStalePlan, isUndone, statementError } from '../sql/database-errors.ts';
import type { GuardedClient } from './guarded-client.ts';
import { refusedTime, TYPES } from './session-settings.ts';

/** How statements are run: prepared or not. */
export interface Session {
  readonly where: string;
  /** The name for preparing a statement, or undefined to run it unprepared. */
  readonly nameOf: (sql: string) => string | undefined;
}

/** Derives names from the statements' text. Measured throughput against unnamed statements: 1.2 times for trivial ones, up to ten times where planning is expensive. */
export function statementNames(): Session['nameOf'] {
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

const BEGIN: Statement = { sql: 'begin isolation level read committed', params: [] };

/**
 * Runs `work` in a transaction, which begins with its first statement: `begin`, `opening` and that statement are sent together. If one of them fails, no
 * later one is sent, because it would run outside of the transaction. Without a statement of `work`, only `opening` runs. Errors: those of the statements,
 * `RollbackFailed`, `internal.bug`.
 */
export async function inTransaction<T>(
  client: PoolClient,
  session: Session,
  work: (tx: Queryable) => Promise<T>,
  opening: readonly Statement[],
): Promise<T> {
  const begin = [BEGIN, ...opening];
  let opened: Promise<QueryResult> | undefined;
  let statement = '';
  let failed: unknown;

  const run = async (sql: string, params?: readonly unknown[]): Promise<QueryResult> => {
    if (opened === undefined && params !== undefined) {
      return (opened = runTogether(client, session, [...begin, { sql, params }]));
    }
    await (opened ??= runTogether(client, session, begin));
    return runStatement(client, session, sql, params);
  };
  const tx: Queryable = {
    query: async (sql, params) => {
      statement = sql;
      try {
        return (await run(sql, params)).rows as never;
      } catch (error) {
        throw (failed = error);
      }
    },
  };

  let result: T;
  try {
    result = await work(tx);
    if (opened === undefined && opening.length > 0) await runTogether(client, session, opening);
    // Of a transaction that may not have begun, nothing is committed, though the caller may have caught the error.
    await opened;
  } catch (error) {
    if (opened !== undefined) await rollBack(client, error);
    throw isUnprepared(failed) ? failed : await withReason(error, statement, client);
  }
  if (opened === undefined) return result;
  const { command } = await runStatement(client, session, 'commit');
  // If a statement failed and the caller caught the error, the transaction is aborted and `commit` rolls it back. The server
  // reports this only in the command tag.
  if (command === 'ROLLBACK') {
    if (isUndone(failed) || isUnprepared(failed)) throw failed;
    throw new AnimusError('internal.bug', {
      detail: 'a transaction continued after a failed statement and was rolled back',
    });
  }
  return result;
}

/** A statement has not run because the server has lost or outgrown what was prepared; the transaction is rolled back and can run again, unprepared. */
export function isUnprepared(error: unknown): boolean {
  return isLostPreparation(error) || isStalePlan(error);
}

/** The connection cannot be used any more. */
export class RollbackFailed extends Error {
  readonly first: unknown;
  constructor(first: unknown) {
    super('the transaction could not be rolled back');
    this.first = first;
  }
}

async function rollBack(client: PoolClient, first: unknown): Promise<void> {
  try {
    await client.query('rollback');
  } catch {
    throw new RollbackFailed(first);
  }
}

/** Without parameters, a text may be several statements; the result is that of the last. */
export async function runStatement(
  client: PoolClient,
  session: Session,
  sql: string,
  params?: readonly unknown[],
): Promise<QueryResult> {
  const ask = (): Promise<QueryResult | QueryResult[]> =>
    // The simple protocol accepts several statements in one text, and gives one result each.
    params === undefined ? client.query(sql) : client.query(configOf(session, { sql, params }));
  const result = await mapped(client, session, ask);
  return Array.isArray(result) ? result.at(-1)! : result;
}

/** Runs the statements in one round trip (`runBatch`), and returns the result of the last. Loads what it needs: commands of people that only read start quicker. */
export async function runTogether(
  client: PoolClient,
  session: Session,
  statements: readonly Statement[],
): Promise<QueryResult> {
  const { runBatch } = await import('./batch.ts');
  const configs = statements.map((statement) => configOf(session, statement));
  return mapped(client, session, () => runBatch(client, configs));
}

function configOf({ nameOf }: Session, { sql, params }: Statement): QueryConfig {
  const name = nameOf(sql);
  return { text: sql, values: [...params], types: TYPES, ...(name !== undefined && { name }) };
}

async function mapped<T>(client: PoolClient, { where }: Session, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { lostBy } = client as PoolClient & GuardedClient;
    throw refusedTime(error, where) ?? statementError(lostBy ?? error, where);
  }
}

/** The error, or that of a refused statement with what helps. Loaded when it is needed: commands of people start quicker. */
export async function withReason(error: unknown, sql: string, client: PoolClient): Promise<unknown> {
  if (!isAnimusError(error, 'db.forbidden')) return error;
  const { explainRefusal } = await import('./explain-refusal.ts');
  return explainRefusal(error, sql, {
    query: async (text, params = []) => (await client.query(text, [...params])).rows,
  });
}

/** One transaction on one connection. */
import type { PoolClient, QueryResult } from 'pg';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Queryable, Statement } from '../sql/database.ts';
import { isLostPreparation, isStalePlan, isUndone } from '../sql/database-errors.ts';
import { runStatement, runTogether, type Session, withReason } from './run-statement.ts';

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

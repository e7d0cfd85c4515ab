/** A statement that the server may refuse. */
import { messageOf } from '../../core/errors/errors.ts';
import type { Queryable } from '../sql/database.ts';
import { isLockConflict, sqlState } from '../sql/database-errors.ts';

/**
 * Runs a statement that may be refused without losing the transaction; returns the refusal, or null when it went well. That another session
 * holds a lock is not a refusal: it is thrown, so that the step is run again.
 */
export async function attempt(tx: Queryable, sql: string): Promise<string | null> {
  await tx.query('savepoint attempt');
  try {
    await tx.query(sql);
    await tx.query('release savepoint attempt');
    return null;
  } catch (error) {
    if (sqlState(error) === undefined || isLockConflict(error)) throw error;
    await tx.query('rollback to savepoint attempt');
    return messageOf(error);
  }
}

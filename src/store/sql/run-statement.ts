/** Runs SQL that a person has written. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from './database.ts';
import { isDatabaseError } from './database-errors.ts';

/** The rows of the last statement; several are one transaction, unless they say otherwise. Errors: `db.statement` with the message of the server, `db.*`, `work.*`. */
export async function runStatement(db: Queryable, text: string): Promise<Readonly<Record<string, unknown>>[]> {
  try {
    return await db.query(text);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    const hint = error.hint === undefined ? '' : `; ${error.hint}`;
    throw new AnimusError('db.statement', { detail: `${error.message} (${error.code})`, hint }, { cause: error });
  }
}

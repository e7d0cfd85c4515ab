/** What `import … from 'animus'` gives a program: it submits work on its own connection, in its own transaction. */
import { statementError } from './store/sql/database-errors.ts';
import {
  type NewAttachment,
  type NewWork,
  type SubmittedWork,
  submitWork as submitTo,
} from './store/work/submit-work.ts';

export type { ErrorCode } from './core/errors/error-table.ts';
export { AnimusError, isAnimusError } from './core/errors/errors.ts';
export type { WorkState } from './core/work/work.ts';
export type { NewAttachment, NewWork, SubmittedWork };

/** A connection of node-postgres (`Client`, `PoolClient` or `Pool`), or whatever answers in the same way. */
export interface Connection {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/**
 * Submits one work item by `animus.submit_work`. Inside a transaction of the connection the item exists when that
 * transaction commits, and no daemon sees it before. The role needs what `animus_submitter` has.
 *
 * Errors, as AnimusError: `work.invalid`, `work.not_found` (the parent), `db.forbidden`, `db.unreachable`; what else the
 * database refuses is the driver's own error. After any of them a surrounding transaction has failed, as after any statement.
 */
export function submitWork(connection: Connection, work: NewWork): Promise<SubmittedWork> {
  return submitTo({ query: (sql, params = []) => run(connection, sql, params) }, work);
}

async function run<Row extends object>(
  connection: Connection,
  sql: string,
  params: readonly unknown[],
): Promise<Row[]> {
  let result: Awaited<ReturnType<Connection['query']>>;
  try {
    result = await connection.query(sql, [...params]);
  } catch (error) {
    throw statementError(error, 'the given connection');
  }
  return result.rows as Row[];
}

/** Runs statements on one connection; what they throw has animus error codes. */
import { createHash } from 'node:crypto';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { isAnimusError } from '../../core/errors/errors.ts';
import type { Statement } from '../sql/database.ts';
import { statementError } from '../sql/database-errors.ts';
import { runBatch } from './batch.ts';
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

/** Runs the statements in one round trip (`runBatch`), and returns the result of the last. */
export function runTogether(
  client: PoolClient,
  session: Session,
  statements: readonly Statement[],
): Promise<QueryResult> {
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

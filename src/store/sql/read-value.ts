/** Reads the values of statements that have one column. */
import type { Queryable } from './database.ts';

/** The value of a statement that always returns one row. */
export async function readValue<Value>(db: Queryable, sql: string, params?: readonly unknown[]): Promise<Value> {
  const [value] = await readValues<Value>(db, sql, params);
  return value!;
}

/** The value of each row. */
export async function readValues<Value>(db: Queryable, sql: string, params?: readonly unknown[]): Promise<Value[]> {
  const rows = await db.query<Record<string, Value>>(sql, params);
  return rows.map((row) => Object.values(row)[0]!);
}

import type { Queryable } from '../sql/database.ts';

/** Adds up the costs of at most `limit` model calls by day. Returns how many; null in the first minute after an upgrade. */
export async function rollUpSpend(db: Queryable, limit: number): Promise<number | null> {
  const [row] = await db.query<{ count: number | null }>('select animus.roll_up_spend($1) as count', [limit]);
  return row!.count;
}

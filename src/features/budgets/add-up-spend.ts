/** Adds up what calls have cost. */
import type { Queryable } from '../../store/sql/database.ts';

/** What calls and lost requests of a faculty and a model have cost that were added up together. */
export interface AddedSpend {
  readonly faculty: string;
  readonly model: string;
  /** Of answers, as far as it is known. */
  readonly usd: number;
  /** The part of `usd` whose tokens the provider did not count. */
  readonly estimated_usd: number;
  /** Of requests that returned nothing. Below 0: a request was not lost that had been counted so. */
  readonly lost_usd: number;
  /** Calls and lost requests of unknown cost. */
  readonly unpriced_calls: number;
}

/** Adds up the costs of at most `limit` model calls by day. Each row is added up once, by one daemon. `count`: null in the first minute after an upgrade. */
export async function addUpSpend(
  db: Queryable,
  limit: number,
): Promise<{ readonly count: number | null; readonly added: readonly AddedSpend[] }> {
  const [row] = await db.query<{ count: number | null; added: AddedSpend[] }>(
    'select count, added from animus.add_up_spend($1)',
    [limit],
  );
  return row!;
}

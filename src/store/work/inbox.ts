/** The pgmq queue `animus_inbox`. */
import type { Queryable } from '../sql/database.ts';

/** What happened to the messages of one call; `postponed` ones wait for another transaction and are read again. */
export interface Drained {
  readonly accepted: number;
  readonly refused: number;
  readonly postponed: number;
}

/** Turns up to `limit` messages into work items, or puts them into `animus_inbox_dead` with the reason. Safe from many daemons at once. */
export async function drainInbox(db: Queryable, limit: number): Promise<Drained> {
  const [row] = await db.query<Drained>('select accepted, refused, postponed from animus.drain_inbox($1)', [limit]);
  return row!;
}

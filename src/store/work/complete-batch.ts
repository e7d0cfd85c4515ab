/** Ends many items as completed. */
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';

/** An item that is done, with the token that proves the claim. */
export interface CompletedWork {
  readonly id: string;
  readonly leaseToken: string;
  readonly outcome: Readonly<Record<string, unknown>>;
  readonly summary: string | null;
  /** Why messages to the item cannot be read any more; if it is missing, they are delivered first. */
  readonly unread?: string;
}

/**
 * The result of an end. `lost`: the lease is lost, and nothing was written. `locked`: another transaction keeps the row locked; not
 * written yet. `mail`: somebody had said something: it was delivered to the focus, and the item is queued again.
 */
export type Completion = 'completed' | 'lost' | 'locked' | 'mail';

/**
 * Completes many items in one statement; returns the result of each, in their order. A lost or locked one does not delay the others.
 * Idempotent for the same tokens.
 */
export async function completeBatch(db: Queryable, ended: readonly CompletedWork[]): Promise<Completion[]> {
  const rows = await db.query<{ result: Completion }>(
    `select result from animus.complete_read($1::uuid[], $2::bigint[], $3::jsonb[], $4::text[], $5::text[])`,
    [
      ended.map((work) => work.id),
      ended.map((work) => work.leaseToken),
      ended.map((work) => toJsonb(work.outcome)),
      ended.map((work) => (work.summary === null ? null : toText(work.summary))),
      ended.map((work) => work.unread ?? null),
    ],
  );
  return rows.map((row) => row.result);
}

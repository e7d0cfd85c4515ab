/** Requests of the API that carry an Idempotency-Key: thin calls of the SQL functions. */
import type { Queryable } from '../sql/database.ts';

/** The answer to a request. */
export interface KeptAnswer {
  readonly status: number;
  /** JSON. */
  readonly text: string;
}

/** What must be equal in requests with the same key. */
export interface RequestDigests {
  /** Of what the request means. It is kept. */
  readonly meant: Buffer;
  /** Of its bytes, as an earlier animus kept it. */
  readonly asSent: Buffer;
}

/**
 * Begins a request of the actor; null: it is new, and `endRequest` has to follow in the same transaction. Errors: `http.key_reused`,
 * `work.locked` while another request with the key is open.
 */
export async function beginRequest(
  tx: Queryable,
  key: string,
  { meant, asSent }: RequestDigests,
): Promise<KeptAnswer | null> {
  const [row] = await tx.query<KeptAnswer>('select status, answer as text from animus.begin_request($1, $2, $3)', [
    key,
    meant,
    asSent,
  ]);
  return row ?? null;
}

/** Keeps its answer. */
export async function endRequest(tx: Queryable, key: string, { status, text }: KeptAnswer): Promise<void> {
  await tx.query('select animus.end_request($1, $2, $3)', [key, status, text]);
}

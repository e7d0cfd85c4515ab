/** What a daemon does with the deliveries of webhooks: thin calls of the SQL functions (docs/webhooks.md). */
import type { Queryable } from '../../store/sql/database.ts';
import { toText } from '../../store/sql/json.ts';
import type { Delivery } from './store.ts';

/** A delivery that this daemon sends now. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly messageId: string;
  readonly url: string;
  readonly body: string;
  readonly event: string;
  /** From 1 on. */
  readonly attempt: number;
  readonly claim: string;
  readonly keyMark: string;
  readonly secretVersion: number;
  /** The key of the secret before, while that signs, too. */
  readonly oldKeyMark: string | null;
}

/** Claims up to `limit` due deliveries of webhooks whose secrets come from one of the keys. A claim is void after `seconds`. */
export async function claimDeliveries(
  db: Queryable,
  keyMarks: readonly string[],
  limit: number,
  seconds: number,
): Promise<ClaimedDelivery[]> {
  return db.query<ClaimedDelivery & { readonly [column: string]: unknown }>(
    `select id::text, webhook_id as "webhookId", message_id as "messageId", url, body, event, attempt, claim, key_mark as "keyMark",
            secret_version as "secretVersion", old_key_mark as "oldKeyMark"
       from animus.claim_deliveries($1::text[], $2, $3)`,
    [keyMarks, limit, seconds],
  );
}

/** How sending ended. `released`: it was not sent, because the daemon stops, or because the claim was over before. */
export interface DeliveryEnd {
  readonly result: 'delivered' | 'failed' | 'gone' | 'released';
  /** Null: there was no answer. */
  readonly status: number | null;
  /** The owner of the webhook sees it. */
  readonly error: string | null;
  /** The same for the log, with what the owner must not see. */
  readonly cause?: string;
  /** What the receiver asked for; 0: nothing. */
  readonly retryAfterSeconds: number;
}

/** Ends a claim; returns the new state, or null if the claim was void. */
export async function endDelivery(
  db: Queryable,
  { id, claim }: Pick<ClaimedDelivery, 'id' | 'claim'>,
  { result, status, error, retryAfterSeconds }: DeliveryEnd,
): Promise<Delivery['state'] | null> {
  const [row] = await db.query<{ state: Delivery['state'] | null }>(
    'select animus.end_delivery($1::bigint, $2::uuid, $3, $4::int, $5, $6::float8) as state',
    [id, claim, result, status, error === null ? null : toText(error), retryAfterSeconds],
  );
  return row!.state;
}

/** Deletes deliveries that arrived a day ago, dead ones older than `days` or too many, and those of removed webhooks; up to `limit` rows. */
export async function pruneDeliveries(db: Queryable, days: number, limit: number): Promise<number | null> {
  const [row] = await db.query<{ count: number | null }>(
    'select animus.prune_deliveries(make_interval(secs => $1::float8 * 86400), $2) as count',
    [days, limit],
  );
  return row!.count;
}

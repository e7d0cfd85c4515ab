/** Webhooks: thin calls of the SQL functions (docs/webhooks.md). Rows keep the names of their columns: `--json` prints them as they are. */
import { type Word, wordsOf } from '../../core/work/words.ts';
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';

/** What a webhook can ask for. */
export const WEBHOOK_EVENTS = wordsOf('webhooks.events');
export type WebhookEvent = Word<'webhooks.events'>;
/** What a webhook is for unless it says otherwise. */
export const DEFAULT_WEBHOOK_EVENTS = ['work.completed', 'work.dead', 'work.cancelled', 'approval.waiting'] as const;

export interface NewWebhook {
  /** Chosen by the caller, because the secret is derived from it. */
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** The fingerprint of the key (`webhookKeyMark`). */
  readonly keyMark: string;
  /** Default: all. */
  readonly faculties?: readonly string[] | undefined;
  readonly label?: string | undefined;
  /** Whose work it is about; default: who acts. Only for operators. */
  readonly person?: string | undefined;
}

/** Errors: `work.invalid`, `db.forbidden`. */
export async function addWebhook(db: Queryable, hook: NewWebhook): Promise<void> {
  const { id, url, events, keyMark, faculties, label, person } = hook;
  await db.query('select animus.add_webhook($1::uuid, $2, $3::text[], $4, $5::text[], $6, $7)', [
    id,
    toText(url),
    events,
    keyMark,
    faculties ?? null,
    toText(label ?? ''),
    person ?? null,
  ]);
}

export interface WebhookView {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** Null: all. */
  readonly faculties: readonly string[] | null;
  readonly label: string;
  readonly owner: string;
  /** False: the owner is disabled or does not exist, and nothing is sent. */
  readonly active: boolean;
  readonly key_mark: string;
  /** How many secrets it has had. */
  readonly secret_version: number;
  /** Until when the secret before signs, too; null: it does not. */
  readonly old_secret_until: Date | null;
  readonly created_at: Date;
  readonly pending: number;
  readonly dead: number;
  /** Too many deliveries wait: new ones become dead letters, or are not written at all; null: they are queued. */
  readonly overflow: 'dead' | 'dropped' | null;
  readonly overflow_since: Date | null;
  /** When events were last lost because there were too many dead letters; null: never. */
  readonly dropped_at: Date | null;
  readonly last_delivered_at: Date | null;
  /** Of the newest delivery that failed and has not arrived since. */
  readonly last_error: string | null;
}

/** The webhooks of the actor, or all for an operator; only that of the id. */
export async function listWebhooks(db: Queryable, id?: string): Promise<WebhookView[]> {
  return db.query<WebhookView & { readonly [column: string]: unknown }>(
    `select id, url, events, faculties, label, owner, active, key_mark, secret_version, old_secret_until, created_at, pending, dead, overflow,
            overflow_since, dropped_at, last_delivered_at, last_error
       from animus.list_webhooks($1::uuid)`,
    [id ?? null],
  );
}

export interface DeadDelivery {
  /** A number; as text, because it may be too large for one. */
  readonly id: string;
  readonly webhook_id: string;
  readonly work_item_id: string | null;
  readonly event: string;
  readonly attempts: number;
  /** Null: there was no answer. */
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created_at: Date;
  readonly ended_at: Date;
}

/** The newest dead deliveries of a webhook, or of all that the actor may see. `limit`: default 100. `before`: only older ones. */
export async function listDeadDeliveries(
  db: Queryable,
  webhook: string | undefined,
  { limit = 100, before }: { readonly limit?: number; readonly before?: string | undefined } = {},
): Promise<DeadDelivery[]> {
  return db.query<DeadDelivery>(
    `select id::text, webhook_id, work_item_id, event, attempts, last_status, last_error, created_at, ended_at
       from animus.list_dead_deliveries($1::uuid, $2, $3::bigint)`,
    [webhook ?? null, limit, before ?? null],
  );
}

/**
 * Makes another secret and returns its number. The secret before signs, too, for `keepHours` (0 to 168). Errors: `work.not_found`,
 * `work.invalid`.
 */
export async function rotateWebhook(db: Queryable, id: string, keyMark: string, keepHours: number): Promise<number> {
  const [row] = await db.query<{ version: number }>('select animus.rotate_webhook($1::uuid, $2, $3) as version', [
    id,
    keyMark,
    keepHours,
  ]);
  return row!.version;
}

/** Errors: `work.not_found`. */
export async function removeWebhook(db: Queryable, id: string): Promise<void> {
  await db.query('select animus.remove_webhook($1::uuid)', [id]);
}

/** Adds a delivery of `webhook.test` and returns its id. Errors: `work.not_found`. */
export async function testWebhook(db: Queryable, id: string): Promise<string> {
  const [row] = await db.query<{ id: string }>('select animus.test_webhook($1::uuid)::text as id', [id]);
  return row!.id;
}

export interface DeliveryState {
  readonly webhook_id: string;
  readonly event: string;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
}

/** Null: there is no such delivery that the actor may see. */
export async function deliveryState(db: Queryable, id: string): Promise<DeliveryState | null> {
  const [row] = await db.query<DeliveryState & { readonly [column: string]: unknown }>(
    'select webhook_id, event, state, attempts, last_status, last_error from animus.delivery_state($1::bigint)',
    [id],
  );
  return row ?? null;
}

/** Sends dead deliveries of a webhook again, as many as may wait or one of them; returns how many. Errors: `work.not_found`. */
export async function retryDeliveries(db: Queryable, webhook: string, id: string | undefined): Promise<number> {
  const [row] = await db.query<{ count: number }>('select animus.retry_deliveries($1::uuid, $2::bigint) as count', [
    webhook,
    id ?? null,
  ]);
  return row!.count;
}

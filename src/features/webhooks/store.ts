/** Webhooks: the shapes of their rows, and thin calls of the SQL functions (docs/webhooks.md). */

import { createHmac } from 'node:crypto';
import { Secret } from '../../core/secrets/secret.ts';
import { wordsOf } from '../../core/work/words.ts';
import { choice } from '../../operations/fields.ts';
import { type RowOf, row } from '../../operations/row.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { toText } from '../../store/sql/json.ts';

/** What a webhook can ask for. */
export const webhookEvent = choice(wordsOf('webhooks.events'), { name: 'WebhookEvent' });
export type WebhookEvent = (typeof webhookEvent.words)[number];
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

/** What is to be changed; what is missing stays as it is. */
export interface WebhookChange {
  readonly url?: string | undefined;
  readonly events?: readonly WebhookEvent[] | undefined;
  readonly label?: string | undefined;
  /** Empty: all. */
  readonly faculties?: readonly string[] | undefined;
}

/** Errors: `work.not_found`, `work.invalid`. */
export async function changeWebhook(
  db: Queryable,
  id: string,
  { url, events, faculties, label }: WebhookChange,
): Promise<void> {
  await db.query('select animus.change_webhook($1::uuid, $2, $3::text[], $4::text[], $5)', [
    id,
    toText(url),
    events ?? null,
    faculties ?? null,
    toText(label),
  ]);
}

/** The fields of a webhook. */
const webhookFields = row((s) =>
  s.z.object({
    id: s.id(),
    url: s.z.string(),
    events: s.z.array(s.words(webhookEvent)),
    faculties: s.z.array(s.z.string()).nullable().describe('null: all'),
    label: s.z.string(),
    owner: s.z.string().describe('it gets only what this actor may see'),
    active: s.z.boolean().describe('false: the owner is disabled, and nothing is sent'),
    key_mark: s.z.string().describe('a fingerprint of the key from which its secret is derived'),
    secret_version: s.z.int().describe('how many secrets it has had'),
    old_secret_until: s.time().nullable().describe('until when the previous secret also signs'),
    created_at: s.time(),
    pending: s.z.int().describe('deliveries that wait'),
    dead: s.z.int().describe('dead letters'),
    overflow: s.z
      .enum(['dead', 'dropped'])
      .nullable()
      .describe('too many deliveries wait: new ones become dead letters, or are not kept at all'),
    overflow_since: s.time().nullable(),
    dropped_at: s.time().nullable().describe('when events were last lost'),
    last_delivered_at: s.time().nullable(),
    last_error: s.z.string().nullable(),
  }),
);
export const webhook = row((s) => webhookFields(s).meta({ id: 'Webhook' }));
export type Webhook = RowOf<typeof webhook>;
/** The answer that has the secret. */
export const newWebhook = row((s) =>
  webhookFields(s)
    .extend({ secret: s.z.string().describe('for the receiver; shown once'), warning: s.warning() })
    .meta({ id: 'NewWebhook' }),
);

/** The webhooks of the actor, or all for an operator; only that of the id. */
export async function listWebhooks(db: Queryable, id?: string): Promise<Webhook[]> {
  return db.query<Webhook>(
    `select id, url, events, faculties, label, owner, active, key_mark, secret_version, old_secret_until, created_at, pending, dead, overflow,
            overflow_since, dropped_at, last_delivered_at, last_error
       from animus.list_webhooks($1::uuid)`,
    [id ?? null],
  );
}

export const deadDelivery = row((s) =>
  s.z
    .object({
      id: s.z.string().describe('a number'),
      webhook_id: s.id(),
      work_item_id: s.id().nullable(),
      event: s.z.string(),
      attempts: s.z.int(),
      last_status: s.z.int().nullable().describe('null: there was no answer'),
      last_error: s.z.string().nullable(),
      created_at: s.time(),
      ended_at: s.time(),
    })
    .meta({ id: 'DeadDelivery' }),
);
export type DeadDelivery = RowOf<typeof deadDelivery>;

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
  const [made] = await db.query<{ version: number }>('select animus.rotate_webhook($1::uuid, $2, $3) as version', [
    id,
    keyMark,
    keepHours,
  ]);
  return made!.version;
}

/** Errors: `work.not_found`. */
export async function removeWebhook(db: Queryable, id: string): Promise<void> {
  await db.query('select animus.remove_webhook($1::uuid)', [id]);
}

/** Adds a delivery of `webhook.test` and returns its id. Errors: `work.not_found`. */
export async function testWebhook(db: Queryable, id: string): Promise<string> {
  const [made] = await db.query<{ id: string }>('select animus.test_webhook($1::uuid)::text as id', [id]);
  return made!.id;
}

export const delivery = row((s) =>
  s.z
    .object({
      id: s.z.string().describe('a number'),
      webhook_id: s.id(),
      event: s.z.string(),
      state: s.z.enum(['pending', 'delivered', 'dead']),
      attempts: s.z.int(),
      last_status: s.z.int().nullable(),
      last_error: s.z.string().nullable(),
    })
    .meta({ id: 'Delivery' }),
);
export type Delivery = RowOf<typeof delivery>;

/** Null: there is no such delivery that the actor may see. */
export async function readDelivery(db: Queryable, id: string): Promise<Delivery | null> {
  const [found] = await db.query<Omit<Delivery, 'id'>>(
    'select webhook_id, event, state, attempts, last_status, last_error from animus.delivery_state($1::bigint)',
    [id],
  );
  return found ? { id, ...found } : null;
}

/** Sends dead deliveries of a webhook again, as many as may wait or one of them; returns how many. Errors: `work.not_found`. */
export async function retryDeliveries(db: Queryable, webhook: string, id: string | undefined): Promise<number> {
  const [made] = await db.query<{ count: number }>('select animus.retry_deliveries($1::uuid, $2::bigint) as count', [
    webhook,
    id ?? null,
  ]);
  return made!.count;
}

/** Which secret of which key a webhook has. */
export interface WebhookSecretName {
  readonly webhookId: string;
  /** The fingerprint of the key. */
  readonly keyMark: string;
  /** 1 at first; another number makes another secret. */
  readonly secretVersion: number;
}

/** A fingerprint of the key, 16 hexadecimal digits. It tells daemons with another key not to send, and does not lead back to the key. */
export function webhookKeyMark(key: Secret): string {
  return derived(key, 'animus webhook key').toString('hex').slice(0, 16);
}

/**
 * The secret as its receiver keeps it, `whsec_` and 32 bytes in base64; null if none of the keys has the fingerprint. It is derived from a
 * key of the environment, the id of the webhook and the number of the secret, so it is stored nowhere.
 */
export function webhookSecret(
  keys: readonly Secret[],
  { webhookId, keyMark, secretVersion }: WebhookSecretName,
): Secret | null {
  const key = keys.find((one) => webhookKeyMark(one) === keyMark);
  if (key === undefined) return null;
  return new Secret(
    `${SECRET_PREFIX}${derived(key, `animus webhook ${webhookId} ${secretVersion}`).toString('base64')}`,
  );
}

export const SECRET_PREFIX = 'whsec_';

function derived(key: Secret, purpose: string): Buffer {
  return createHmac('sha256', key.reveal()).update(purpose).digest();
}

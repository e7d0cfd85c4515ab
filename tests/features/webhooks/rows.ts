/** Webhooks and their deliveries in the database, for tests without a receiver. */
import { randomUUID } from 'node:crypto';
import { type ClaimedDelivery, claimDeliveries, type DeliveryEnd } from '../../../src/features/webhooks/deliveries.ts';
import { addWebhook, type WebhookEvent } from '../../../src/features/webhooks/store.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';

/** The fingerprint of the key that these webhooks have. */
export const MARK = '0123456789abcdef';
export const ARRIVED: DeliveryEnd = { result: 'delivered', status: 200, error: null, retryAfterSeconds: 0 };
export const REFUSED: DeliveryEnd = { result: 'failed', status: 500, error: 'no', retryAfterSeconds: 0 };

interface Given {
  readonly url?: string;
  readonly events?: readonly WebhookEvent[];
  readonly faculties?: readonly string[];
  readonly person?: string;
  readonly label?: string;
}

/** Adds a webhook, by default for `work.queued`, and returns its id. */
export async function addHook(db: Queryable, given: Given = {}): Promise<string> {
  const id = randomUUID();
  await addWebhook(db, { id, url: 'https://example.com/hook', events: ['work.queued'], keyMark: MARK, ...given });
  return id;
}

export async function removeHooks(db: Queryable): Promise<void> {
  await db.query('delete from animus.webhook_deliveries');
  await db.query('delete from animus.webhooks');
  await db.query('delete from animus.people');
}

/** Inserts an item and returns its id. */
export async function submitItem(db: Queryable, faculty = 'f'): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ($1, 'd') returning id`,
    [faculty],
  );
  return row!.id;
}

export function claimHooks(db: Queryable, limit = 16): Promise<ClaimedDelivery[]> {
  return claimDeliveries(db, [MARK], limit, 60);
}

/** All deliveries, oldest first. */
export function deliveryRows(db: Queryable) {
  return db.query<{
    webhook_id: string;
    work_item_id: string;
    event: string;
    state: string;
    body: string;
    last_error: string | null;
  }>('select webhook_id, work_item_id, event, state, body, last_error from animus.webhook_deliveries order by id');
}

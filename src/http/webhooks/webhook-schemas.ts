import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import { id, time } from '../../operations/schemas.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { listWebhooks, WEBHOOK_EVENTS, type WebhookView } from '../../store/work/webhooks.ts';
import { warning } from '../route/unserved.ts';

const EVENT = z.enum(WEBHOOK_EVENTS).meta({ id: 'WebhookEvent' });
export const webhookEvent = () => EVENT;

/** The number of a delivery, as text because it may be too large for a number. */
export const deliveryId = () =>
  z
    .string()
    .regex(/^[1-9]\d{0,17}$/)
    .describe('the number of a delivery');

const fields = {
  id: id(),
  url: z.string(),
  events: z.array(webhookEvent()),
  faculties: z.array(z.string()).nullable().describe('null: all'),
  label: z.string(),
  owner: z.string().describe('it gets only what this actor may see'),
  active: z.boolean().describe('false: the owner is disabled, and nothing is sent'),
  key_mark: z.string().describe('a fingerprint of the key from which its secret is derived'),
  secret_version: z.int().describe('how many secrets it has had'),
  old_secret_until: time().nullable().describe('until when the secret before signs, too'),
  created_at: time(),
  pending: z.int().describe('deliveries that wait'),
  dead: z.int().describe('dead letters'),
  overflow: z
    .enum(['dead', 'dropped'])
    .nullable()
    .describe('too many deliveries wait: new ones become dead letters, or are not kept at all'),
  overflow_since: time().nullable(),
  dropped_at: time().nullable().describe('when events were last lost'),
  last_delivered_at: time().nullable(),
  last_error: z.string().nullable(),
};

export const webhook = z.object(fields).meta({ id: 'Webhook' });
/** The answer that has the secret. */
export const webhookWithSecret = z
  .object({ ...fields, secret: z.string().describe('for the receiver; shown once'), warning: warning() })
  .meta({ id: 'NewWebhook' });

export const deadDelivery = z
  .object({
    id: z.string().describe('a number'),
    webhook_id: id(),
    work_item_id: id().nullable(),
    event: z.string(),
    attempts: z.int(),
    last_status: z.int().nullable().describe('null: there was no answer'),
    last_error: z.string().nullable(),
    created_at: time(),
    ended_at: time(),
  })
  .meta({ id: 'DeadDelivery' });

/** Errors: `work.not_found`. */
export async function webhookOf(tx: Queryable, wanted: string): Promise<z.input<typeof webhook>> {
  const [found] = await listWebhooks(tx, wanted);
  if (found) return shownWebhook(found);
  // The words of SQL for a webhook that the actor may not see.
  throw new AnimusError('work.not_found', { detail: `no webhook ${wanted}`, hint: '' });
}

export function shownWebhook(view: WebhookView): z.input<typeof webhook> {
  return { ...view, events: [...view.events], faculties: view.faculties && [...view.faculties] };
}

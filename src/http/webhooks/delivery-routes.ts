/** Deliveries of webhooks: a test, what failed for good, and sending it again. */
import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import { id, limit, page, pageOf } from '../../operations/schemas.ts';
import { deliveryState, listDeadDeliveries, retryDeliveries, testWebhook } from '../../store/work/webhooks.ts';
import { jsonRoute } from '../route/route.ts';
import { deadDelivery, deliveryId, webhookOf } from './webhook-schemas.ts';

const params = z.strictObject({ id: id() });

const test = jsonRoute({
  id: 'testWebhook',
  method: 'POST',
  path: '/webhooks/{id}/test',
  tag: 'webhooks',
  summary: 'Send the event webhook.test through a daemon; GET /webhooks/{id}/deliveries/{delivery_id} shows the result',
  scope: 'work',
  params,
  body: z.strictObject({}),
  status: 202,
  output: z.object({ id: id(), delivery_id: z.string() }),
  errors: ['work.not_found'],
  run: async ({ tx }, { path }) => ({ id: path.id, delivery_id: await testWebhook(tx, path.id) }),
});

const show = jsonRoute({
  id: 'showDelivery',
  method: 'GET',
  path: '/webhooks/{id}/deliveries/{delivery_id}',
  tag: 'webhooks',
  summary: 'The state of a delivery; those that arrived are kept for a day',
  scope: 'read',
  params: z.strictObject({ id: id(), delivery_id: deliveryId() }),
  output: z
    .object({
      id: z.string().describe('a number'),
      webhook_id: id(),
      event: z.string(),
      state: z.enum(['pending', 'delivered', 'dead']),
      attempts: z.int(),
      last_status: z.int().nullable(),
      last_error: z.string().nullable(),
    })
    .meta({ id: 'Delivery' }),
  errors: ['work.not_found'],
  run: async ({ tx }, { path }) => {
    const found = await deliveryState(tx, path.delivery_id);
    if (found?.webhook_id === path.id) return { id: path.delivery_id, ...found };
    throw new AnimusError('work.not_found', {
      detail: `no delivery ${path.delivery_id} of webhook ${path.id}`,
      hint: '',
    });
  },
});

const dead = jsonRoute({
  id: 'listDeadDeliveries',
  method: 'GET',
  path: '/webhooks/{id}/dead-letters',
  tag: 'webhooks',
  summary: 'The deliveries of a webhook that failed for good, newest first',
  scope: 'read',
  params,
  query: z.strictObject({ limit: limit(), after: deliveryId().optional() }),
  output: page(deadDelivery),
  errors: ['work.not_found'],
  run: async ({ tx }, { path, query }) => {
    await webhookOf(tx, path.id);
    const found = await listDeadDeliveries(tx, path.id, { limit: query.limit + 1, before: query.after });
    return pageOf(found, query.limit, (delivery) => delivery.id);
  },
});

const retry = jsonRoute({
  id: 'retryDeliveries',
  method: 'POST',
  path: '/webhooks/{id}/retry',
  tag: 'webhooks',
  summary: 'Send the deliveries that failed for good again, or one of them, with the same ids',
  scope: 'work',
  params,
  body: z.strictObject({ delivery_id: deliveryId().optional() }),
  output: z.object({ id: id(), retried: z.int() }),
  errors: ['work.not_found'],
  run: async ({ tx }, { path, body }) => ({
    id: path.id,
    retried: await retryDeliveries(tx, path.id, body.delivery_id),
  }),
});

export const deliveryRoutes = [test, dead, show, retry];

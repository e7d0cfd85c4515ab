/** What can be done with webhooks. Everybody has their own; operators see and change all. */
import { randomUUID } from 'node:crypto';
import { settingsIn } from '../../core/config/config.ts';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { facultyName, id, limit, list, optional, terminalOnly, text, whole } from '../../operations/fields.ts';
import { type Operation, type Outside, operation } from '../../operations/operation.ts';
import { pageOf } from '../../operations/page-of.ts';
import type { Queryable } from '../../store/sql/database.ts';
import * as store from './store.ts';

/** The number of a delivery, as text because it may be too large for a number. */
const deliveryId = text({
  pattern: /^[1-9]\d{0,17}$/,
  expected: 'the number of a delivery',
  description: 'the number of a delivery',
});

export const listWebhooks = operation({
  name: 'listWebhooks',
  tag: 'webhooks',
  summary: 'Your webhooks, or all for operators, oldest first',
  scope: 'read',
  http: { method: 'GET', path: '/webhooks' },
  input: {},
  output: (s) => s.z.object({ items: s.z.array(store.webhook(s)) }),
  run: async ({ tx }) => ({ items: await store.listWebhooks(tx) }),
});

const showWebhook = operation({
  name: 'showWebhook',
  tag: 'webhooks',
  summary: 'One webhook',
  scope: 'read',
  http: { method: 'GET', path: '/webhooks/{id}' },
  input: { id: id() },
  output: store.webhook,
  errors: ['work.not_found'],
  run: ({ tx }, input) => webhookOf(tx, input.id),
});

export const addWebhook = operation({
  name: 'addWebhook',
  tag: 'webhooks',
  summary: 'Add a webhook for what you may see; only this answer contains its secret',
  scope: 'work',
  http: { method: 'POST', path: '/webhooks', status: 201, secret: true },
  input: {
    url: text({ min: 1, max: 2000 }),
    events: list(store.webhookEvent, { min: 1, max: 20, default: store.DEFAULT_WEBHOOK_EVENTS }),
    faculties: optional(list(facultyName(), { min: 1, max: 100, description: 'default: all' })),
    label: text({ max: 200, default: '' }),
    person: terminalOnly(text()),
  },
  output: store.newWebhook,
  errors: ['work.invalid', 'http.no_webhook_key'],
  prepare: presentKey,
  async run({ tx, prepared: key, unserved }, input) {
    const hook = randomUUID();
    await store.addWebhook(tx, { ...input, id: hook, keyMark: store.webhookKeyMark(key) });
    const warned = await unserved(input.faculties ?? [], { until: 'nothing is sent of it', named: true });
    return { ...withSecret(key, await webhookOf(tx, hook)), ...warned };
  },
});

export const changeWebhook = operation({
  name: 'changeWebhook',
  tag: 'webhooks',
  summary: 'Change the address, the events, the faculties or the label of a webhook; its secret stays',
  scope: 'work',
  http: { method: 'PATCH', path: '/webhooks/{id}' },
  input: {
    id: id(),
    url: optional(text({ min: 1, max: 2000, description: 'what waits to be delivered goes there, too' })),
    events: optional(list(store.webhookEvent, { min: 1, max: 20 })),
    faculties: optional(list(facultyName(), { max: 100, description: 'an empty list: all' })),
    label: optional(text({ max: 200 })),
  },
  output: (s) => store.webhook(s).extend({ warning: s.warning() }),
  errors: ['work.not_found', 'work.invalid'],
  async run({ tx, unserved }, { id: hook, ...change }) {
    await store.changeWebhook(tx, hook, change);
    const warned = await unserved(change.faculties ?? [], { until: 'nothing is sent of it', named: true });
    return { ...(await webhookOf(tx, hook)), ...warned };
  },
});

export const rotateWebhook = operation({
  name: 'rotateWebhook',
  tag: 'webhooks',
  summary: 'Make a new secret, which only this answer contains; the previous one also signs for some hours',
  scope: 'work',
  http: { method: 'POST', path: '/webhooks/{id}/rotate', secret: true },
  input: { id: id(), keep_hours: whole({ min: 0, max: 168, default: 24 }) },
  output: store.newWebhook,
  errors: ['work.not_found', 'http.no_webhook_key'],
  prepare: presentKey,
  async run({ tx, prepared: key }, input) {
    await store.rotateWebhook(tx, input.id, store.webhookKeyMark(key), input.keep_hours);
    return withSecret(key, await webhookOf(tx, input.id));
  },
});

export const removeWebhook = operation({
  name: 'removeWebhook',
  tag: 'webhooks',
  summary: 'Remove a webhook with all its deliveries',
  scope: 'work',
  http: { method: 'DELETE', path: '/webhooks/{id}' },
  input: { id: id() },
  output: (s) => s.z.object({ id: s.id(), removed: s.z.literal(true) }),
  errors: ['work.not_found'],
  async run({ tx }, input) {
    await store.removeWebhook(tx, input.id);
    return { id: input.id, removed: true as const };
  },
});

export const testWebhook = operation({
  name: 'testWebhook',
  tag: 'webhooks',
  summary: 'Send the event webhook.test through a daemon; GET /webhooks/{id}/deliveries/{delivery_id} shows the result',
  scope: 'work',
  http: { method: 'POST', path: '/webhooks/{id}/test', status: 202 },
  input: { id: id() },
  output: (s) => s.z.object({ id: s.id(), delivery_id: s.z.string() }),
  errors: ['work.not_found'],
  run: async ({ tx }, input) => ({ id: input.id, delivery_id: await store.testWebhook(tx, input.id) }),
});

const listDeadDeliveries = operation({
  name: 'listDeadDeliveries',
  tag: 'webhooks',
  summary: 'The deliveries of a webhook that failed permanently, newest first',
  scope: 'read',
  http: { method: 'GET', path: '/webhooks/{id}/dead-letters' },
  input: { id: id(), limit: limit(), after: optional(deliveryId) },
  output: (s) => s.page(store.deadDelivery(s)),
  errors: ['work.not_found'],
  async run({ tx }, input) {
    await webhookOf(tx, input.id);
    const found = await store.listDeadDeliveries(tx, input.id, { limit: input.limit + 1, before: input.after });
    return pageOf(found, input.limit, (delivery) => delivery.id);
  },
});

const showDelivery = operation({
  name: 'showDelivery',
  tag: 'webhooks',
  summary: 'The state of a delivery; those that arrived are kept for a day',
  scope: 'read',
  http: { method: 'GET', path: '/webhooks/{id}/deliveries/{delivery_id}' },
  input: { id: id(), delivery_id: deliveryId },
  output: store.delivery,
  errors: ['work.not_found'],
  async run({ tx }, input) {
    const found = await store.readDelivery(tx, input.delivery_id);
    if (found?.webhook_id === input.id) return found;
    throw notFound(`no delivery ${input.delivery_id} of webhook ${input.id}`);
  },
});

export const retryDeliveries = operation({
  name: 'retryDeliveries',
  tag: 'webhooks',
  summary: 'Send the deliveries that failed permanently again, or one of them, with the same ids',
  scope: 'work',
  http: { method: 'POST', path: '/webhooks/{id}/retry' },
  input: { id: id(), delivery_id: optional(deliveryId) },
  output: (s) => s.z.object({ id: s.id(), retried: s.z.int() }),
  errors: ['work.not_found'],
  run: async ({ tx }, input) => ({
    id: input.id,
    retried: await store.retryDeliveries(tx, input.id, input.delivery_id),
  }),
});

/** In the order of the OpenAPI document. */
export const webhookOperations: readonly Operation[] = [
  listWebhooks,
  addWebhook,
  showWebhook,
  changeWebhook,
  rotateWebhook,
  removeWebhook,
  testWebhook,
  listDeadDeliveries,
  showDelivery,
  retryDeliveries,
];

/** Errors: `work.not_found`. */
async function webhookOf(tx: Queryable, wanted: string): Promise<store.Webhook> {
  const [found] = await store.listWebhooks(tx, wanted);
  if (found) return found;
  // The words of SQL for a webhook that the actor may not see.
  throw notFound(`no webhook ${wanted}`);
}

function notFound(detail: string): AnimusError {
  return new AnimusError('work.not_found', { detail, hint: '' });
}

/** The key that makes secrets now. Errors: `http.no_webhook_key`. */
async function presentKey({ config }: Outside): Promise<Secret> {
  const { webhookSection } = await import('./config.ts');
  const { key } = settingsIn(webhookSection, await config());
  if (key !== null) return key;
  throw new AnimusError('http.no_webhook_key');
}

function withSecret(key: Secret, hook: store.Webhook): store.Webhook & { readonly secret: string } {
  const { id: webhookId, key_mark: keyMark, secret_version: secretVersion } = hook;
  return { ...hook, secret: store.webhookSecret([key], { webhookId, keyMark, secretVersion })!.reveal() };
}

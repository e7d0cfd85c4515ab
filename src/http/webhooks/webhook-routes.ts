/** Webhooks. Everybody has their own; operators see and change all. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { webhookKeyMark, webhookSecret } from '../../core/secrets/webhook-secret.ts';
import { facultyName, id } from '../../operations/schemas.ts';
import {
  addWebhook,
  DEFAULT_WEBHOOK_EVENTS,
  listWebhooks,
  removeWebhook,
  rotateWebhook,
} from '../../store/work/webhooks.ts';
import { type ApiMeans, jsonRoute, type Route } from '../route/route.ts';
import { unserved } from '../route/unserved.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { shownWebhook, webhook, webhookEvent, webhookOf, webhookWithSecret } from './webhook-schemas.ts';

const params = z.strictObject({ id: id() });

const list = jsonRoute({
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  tag: 'webhooks',
  summary: 'Your webhooks, or all for operators, oldest first',
  scope: 'read',
  output: z.object({ items: z.array(webhook) }),
  run: async ({ tx }) => ({ items: (await listWebhooks(tx)).map(shownWebhook) }),
});

const show = jsonRoute({
  id: 'showWebhook',
  method: 'GET',
  path: '/webhooks/{id}',
  tag: 'webhooks',
  summary: 'One webhook',
  scope: 'read',
  params,
  output: webhook,
  errors: ['work.not_found'],
  run: ({ tx }, { path }) => webhookOf(tx, path.id),
});

const add = jsonRoute({
  id: 'addWebhook',
  method: 'POST',
  path: '/webhooks',
  tag: 'webhooks',
  summary: 'Add a webhook for what you may see; only this answer contains its secret',
  scope: 'work',
  body: z.strictObject({
    url: z.string().min(1).max(2000),
    events: z
      .array(webhookEvent())
      .min(1)
      .max(20)
      .default([...DEFAULT_WEBHOOK_EVENTS]),
    faculties: z.array(facultyName()).min(1).max(100).optional().describe('default: all'),
    label: z.string().max(200).default(''),
  }),
  status: 201,
  output: webhookWithSecret,
  secret: true,
  errors: ['work.invalid', 'http.no_webhook_key'],
  run: async ({ tx, means }, { body }) => {
    const key = presentKey(means);
    const hook = randomUUID();
    await addWebhook(tx, { ...body, id: hook, keyMark: webhookKeyMark(key) });
    const warned = await unserved(tx, body.faculties ?? [], 'nothing is sent of it');
    return { ...withSecret(key, await webhookOf(tx, hook)), ...warned };
  },
});

const rotate = jsonRoute({
  id: 'rotateWebhook',
  method: 'POST',
  path: '/webhooks/{id}/rotate',
  tag: 'webhooks',
  summary: 'Make a new secret, which only this answer contains; the previous one also signs for some hours',
  scope: 'work',
  params,
  body: z.strictObject({ keep_hours: z.int().min(0).max(168).default(24) }),
  output: webhookWithSecret,
  secret: true,
  errors: ['work.not_found', 'http.no_webhook_key'],
  run: async ({ tx, means }, { path, body }) => {
    const key = presentKey(means);
    await rotateWebhook(tx, path.id, webhookKeyMark(key), body.keep_hours);
    return withSecret(key, await webhookOf(tx, path.id));
  },
});

const remove = jsonRoute({
  id: 'removeWebhook',
  method: 'DELETE',
  path: '/webhooks/{id}',
  tag: 'webhooks',
  summary: 'Remove a webhook with all its deliveries',
  scope: 'work',
  params,
  output: z.object({ id: id(), removed: z.literal(true) }),
  errors: ['work.not_found'],
  run: async ({ tx }, { path }) => {
    await removeWebhook(tx, path.id);
    return { id: path.id, removed: true as const };
  },
});

export const webhookRoutes: readonly Route[] = [list, add, show, rotate, remove, ...deliveryRoutes];

/** The key that makes secrets now. Errors: `http.no_webhook_key`. */
function presentKey({ webhookKeys: [key] = [] }: ApiMeans): Secret {
  if (key !== undefined) return key;
  throw new AnimusError('http.no_webhook_key');
}

function withSecret(key: Secret, hook: z.input<typeof webhook>): z.input<typeof webhookWithSecret> {
  const { id: webhookId, key_mark: keyMark, secret_version: secretVersion } = hook;
  return { ...hook, secret: webhookSecret([key], { webhookId, keyMark, secretVersion })!.reveal() };
}

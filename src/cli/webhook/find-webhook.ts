import { AnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { listWebhooks, type WebhookView } from '../../store/work/webhooks.ts';

/** The one webhook that a full id, or its beginning or end of at least 4 digits, names. Errors: `usage.invalid`, `work.not_found`. */
export async function findWebhook(db: Queryable, reference: string): Promise<WebhookView> {
  const wanted = reference.trim().toLowerCase();
  if (!/^[0-9a-f-]{4,36}$/.test(wanted)) {
    throw new AnimusError('usage.invalid', {
      detail: 'give the id of the webhook, or at least 4 digits of its start or end',
    });
  }
  const found = (await listWebhooks(db)).filter(({ id }) => id.startsWith(wanted) || id.endsWith(wanted));
  const [first, ...others] = found;
  if (first === undefined) {
    throw new AnimusError('work.not_found', {
      detail: `no webhook ${wanted}`,
      hint: '; list them with: animus webhook list',
    });
  }
  if (others.length === 0) return first;
  throw new AnimusError('usage.invalid', {
    detail: `${wanted} names several webhooks: ${found.map(({ id }) => id).join(', ')}`,
  });
}

import { findOne, type NamedKind } from '../../core/work/find-one.ts';
import { isNamedBy } from '../../core/work/id-reference.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { listWebhooks, type WebhookView } from '../../store/work/webhooks.ts';

/** The one webhook that an id or a part of it names (`readIdReference`). Errors: those of `findOne`. */
export async function findWebhook(db: Queryable, reference: string): Promise<WebhookView> {
  const hooks = await listWebhooks(db);
  const id = await findOne(reference, WEBHOOKS, async (named) =>
    hooks.filter((hook) => isNamedBy(hook.id, named)).map((hook) => ({ id: hook.id, about: hook.url })),
  );
  return hooks.find((hook) => hook.id === id)!;
}

const WEBHOOKS: NamedKind = { kind: 'webhook', list: 'animus webhook list' };

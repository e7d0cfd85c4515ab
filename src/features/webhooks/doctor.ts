/** Checks whether this process can sign the webhooks that there are. */
import type { Config } from '../../core/config/config.ts';
import { webhookKeys } from '../../core/config/sections/webhooks.ts';
import { isAnimusError } from '../../core/errors/errors.ts';
import { hasFunctions } from '../../store/migrations/schema-version.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { type Finding, fine, problem } from '../../terminal/view/finding.ts';
import { counted } from '../../terminal/view/quantities.ts';
import { listWebhooks, type Webhook, webhookKeyMark } from './store.ts';

/** Nothing while there are none. Only the webhooks that the login may see are looked at; an operator sees all. */
export async function examineWebhooks(db: Queryable, { webhooks: config }: Config): Promise<readonly Finding[]> {
  const webhooks = await visibleWebhooks(db);
  if (webhooks.length === 0) return [];
  const marks = webhookKeys(config).map(webhookKeyMark);
  const unsigned = webhooks.filter((hook) => !marks.includes(hook.key_mark));
  const all = counted(webhooks.length, 'webhook');
  if (unsigned.length === 0) return [fine('webhooks', `${all}; ${config.keyEnv} is set and fits`)];
  const detail =
    config.key === null
      ? `${config.keyEnv} is not set, so nothing is sent for ${all}`
      : `${counted(unsigned.length, 'webhook')} of ${webhooks.length} ${unsigned.length === 1 ? 'was' : 'were'} added with another key than that in ${config.keyEnv}`;
  const remedy = `set ${config.keyEnv}, or ${config.keyEnv}_FILE, to the key they were added with, as ${config.oldKeyEnv} if there is a new one, where daemons run`;
  return [problem('webhooks', detail, remedy)];
}

/** None without a schema, of which another check tells, and for a login that may see none. */
async function visibleWebhooks(db: Queryable): Promise<readonly Webhook[]> {
  if (!(await hasFunctions(db))) return [];
  try {
    return await listWebhooks(db);
  } catch (error) {
    if (isAnimusError(error, 'db.forbidden')) return [];
    throw error;
  }
}

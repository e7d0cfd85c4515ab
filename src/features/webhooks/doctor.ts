/** What `animus doctor` and `animus status` say of webhooks: whether this process can sign the existing ones, and what is not delivered. */
import type { Config } from '../../core/config/config.ts';
import { isAnimusError } from '../../core/errors/errors.ts';
import { hasFunctions } from '../../store/migrations/schema-version.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { type Finding, fine, problem } from '../../terminal/view/finding.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { counted } from '../../terminal/view/quantities.ts';
import type { Webhook } from './store.ts';

/** Nothing while there are none. Only the webhooks that the login may see are looked at; an operator sees all. */
export async function examineWebhooks(db: Queryable, given: Config): Promise<readonly Finding[]> {
  const webhooks = await visibleWebhooks(db);
  if (webhooks.length === 0) return [];
  const [{ settingsIn }, { webhookKeys, webhookSection }, { webhookKeyMark }] = await Promise.all([
    import('../../core/config/config.ts'),
    import('./config.ts'),
    import('./store.ts'),
  ]);
  const config = settingsIn(webhookSection, given);
  const marks = webhookKeys(config).map(webhookKeyMark);
  const unsigned = webhooks.filter((hook) => !marks.includes(hook.key_mark));
  const all = counted(webhooks.length, 'webhook');
  if (unsigned.length === 0) return [fine('webhooks', `${all}; ${config.keyEnv} is set and matches`)];
  const detail =
    config.key === null
      ? `${config.keyEnv} is not set, so nothing is sent for ${all}`
      : `${counted(unsigned.length, 'webhook')} of ${webhooks.length} ${unsigned.length === 1 ? 'was' : 'were'} added with a different key than the one in ${config.keyEnv}`;
  const remedy = `set ${config.keyEnv}, or ${config.keyEnv}_FILE, to the key they were added with, as ${config.oldKeyEnv} if there is a new one, where daemons run`;
  return [problem('webhooks', detail, remedy)];
}

/** None without a schema, of which another check tells, and for a login that may see none. */
async function visibleWebhooks(db: Queryable): Promise<readonly Webhook[]> {
  if (!(await hasFunctions(db))) return [];
  // Not loaded for the status.
  const { listWebhooks } = await import('./store.ts');
  try {
    return await listWebhooks(db);
  } catch (error) {
    if (isAnimusError(error, 'db.forbidden')) return [];
    throw error;
  }
}

type Counts = Readonly<Record<'dead' | 'late' | 'full' | 'dropping', number>>;

/** A line for each problem: dead letters, deliveries that no daemon sends, webhooks for which too much waits. */
export function showWebhookStatus(output: Output, { webhooks }: { readonly webhooks: Counts }): void {
  const { dead, late, full, dropping } = webhooks;
  const problem = (text: string) => output.line(styled('problem  ', 'red'), text);
  if (dead > 0) problem(`${deliveries(dead)} failed permanently: animus webhook list --dead`);
  if (late > 0) problem(`${deliveries(late)} waiting for a daemon with the key of the webhook`);
  if (full > 0)
    problem(`too many deliveries wait for ${counted(full, 'webhook', 'webhooks')}: new ones become dead letters`);
  if (dropping > 0)
    problem(`events are lost: too many deliveries and dead letters of ${counted(dropping, 'webhook', 'webhooks')}`);
}

function deliveries(count: number): string {
  return counted(count, 'webhook delivery', 'webhook deliveries');
}

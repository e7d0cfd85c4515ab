/** What `animus webhook list` and `animus status` print. */
import { type Output, styled } from '../../terminal/view/output.ts';
import { age, counted, shortId } from '../../terminal/view/quantities.ts';
import type { Webhook } from './store.ts';

/** The webhooks, and what is wrong with them. */
export function showWebhooks(output: Output, webhooks: readonly Webhook[]): void {
  if (webhooks.length === 0) return output.note('no webhooks; add one with: animus webhook add URL');
  const now = Date.now();
  output.table(
    [
      { title: 'WEBHOOK' },
      { title: 'URL', shrink: true },
      { title: 'EVENTS', shrink: true },
      { title: 'OWNER', shrink: true, optional: true },
      { title: 'WAIT', align: 'right' },
      { title: 'DEAD', align: 'right' },
      { title: 'ARRIVED' },
      { title: 'LABEL', shrink: true, optional: true },
    ],
    webhooks.map((hook) => [
      shortId(hook.id),
      hook.url,
      `${hook.events.join(',')}${hook.faculties === null ? '' : ` of ${hook.faculties.join(',')}`}`,
      hook.owner,
      String(hook.pending),
      hook.dead === 0 ? '0' : styled(String(hook.dead), 'red'),
      hook.last_delivered_at === null ? 'never' : age(hook.last_delivered_at, now),
      hook.label,
    ]),
  );
  for (const hook of webhooks) {
    for (const problem of problemsOf(hook)) output.line(styled('problem  ', 'red'), `${shortId(hook.id)}: ${problem}`);
  }
}

function problemsOf({ active, overflow, dropped_at: lost, last_error: error }: Webhook): string[] {
  const full = overflow === 'dead' ? 'too many deliveries wait: new ones become dead letters' : null;
  const dropping = overflow === 'dropped' ? 'too many deliveries wait: new events are dropped' : null;
  return [
    active ? null : 'its owner is disabled or does not exist, so nothing is sent',
    full,
    dropping,
    lost === null ? null : `events were lost on ${lost.toISOString()}, because too many deliveries waited`,
    error,
  ].filter((problem) => problem !== null);
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

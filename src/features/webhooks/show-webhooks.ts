/** Webhooks and their dead letters as a terminal shows them. */
import type { Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { age, shortId } from '../../terminal/view/quantities.ts';
import * as store from './store.ts';

/** The webhooks, and what is wrong with them. */
export function showWebhooks(output: Output, webhooks: readonly store.Webhook[]): void {
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

function problemsOf({ active, overflow, dropped_at: lost, last_error: error }: store.Webhook): string[] {
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

/** With `--dead`: the deliveries that failed permanently. */
export async function showDeadDeliveries(invocation: Invocation): Promise<number> {
  const { output } = invocation;
  const deliveries = await withDatabase(invocation, (db) => store.listDeadDeliveries(db, undefined));
  output.document({ deliveries });
  if (deliveries.length === 0) {
    output.note('no delivery failed permanently');
    return 0;
  }
  const now = Date.now();
  output.table(
    [
      { title: 'DELIVERY' },
      { title: 'WEBHOOK' },
      { title: 'EVENT' },
      { title: 'WORK', optional: true },
      { title: 'ENDED', optional: true },
      { title: 'WHY', shrink: true },
    ],
    deliveries.map((dead) => [
      dead.id,
      shortId(dead.webhook_id),
      dead.event,
      dead.work_item_id === null ? '-' : shortId(dead.work_item_id),
      age(dead.ended_at, now),
      dead.last_error ?? '',
    ]),
  );
  output.line(styled('send them again: animus webhook retry WEBHOOK', 'dim'));
  return 0;
}

/** The part of `animus status` about webhooks. */
import { type Output, styled } from '../../terminal/view/output.ts';
import { counted } from '../../terminal/view/quantities.ts';

type Counts = Readonly<Record<'dead' | 'late' | 'full' | 'dropping', number>>;

/** A line for each problem: dead letters, deliveries that no daemon sends, webhooks for which too much waits. */
export function showWebhookStatus(output: Output, { webhooks }: { readonly webhooks: Counts }): void {
  const { dead, late, full, dropping } = webhooks;
  const problem = (text: string) => output.line(styled('problem  ', 'red'), text);
  if (dead > 0) problem(`${deliveries(dead)} failed for good: animus webhook list --dead`);
  if (late > 0) problem(`${deliveries(late)} waiting for a daemon with the key of the webhook`);
  if (full > 0)
    problem(`too many deliveries wait for ${counted(full, 'webhook', 'webhooks')}: new ones become dead letters`);
  if (dropping > 0)
    problem(`events are lost: too many deliveries and dead letters of ${counted(dropping, 'webhook', 'webhooks')}`);
}

function deliveries(count: number): string {
  return counted(count, 'webhook delivery', 'webhook deliveries');
}

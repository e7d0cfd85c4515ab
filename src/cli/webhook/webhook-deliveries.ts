/** `animus webhook test|retry`. */
import { AnimusError } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { type DeliveryState, deliveryState, retryDeliveries, testWebhook } from '../../store/work/webhooks.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import { counted, shortId } from '../../terminal/view/quantities.ts';
import { findWebhook } from './find-webhook.ts';

interface RetryOptions extends CommonOptions {
  readonly delivery?: string;
}

/** Longer than an attempt takes. */
const TEST_MS = 20_000;

/** Exit code 0: the receiver accepted the test; 1: it did not, or no daemon sent it in time. Errors: `work.not_found`. */
export async function testCommand(invocation: Invocation, _options: CommonOptions, reference: string): Promise<number> {
  const { output } = invocation;
  const { hook, state } = await withDatabase(invocation, async (db) => {
    const found = await findWebhook(db, reference);
    return { hook: found, state: await attempted(db, await testWebhook(db, found.id)) };
  });
  const accepted = state?.state === 'delivered';
  output.document({
    id: hook.id,
    delivered: accepted,
    status: state?.last_status ?? null,
    error: state?.last_error ?? null,
  });
  const shown = accepted
    ? styled(`accepted with ${state.last_status}`, 'green')
    : styled(state?.last_error ?? 'no daemon has sent it yet; is one running with the key of the webhook?', 'red');
  output.line(`webhook ${shortId(hook.id)} to ${hook.url}  `, shown);
  return accepted ? 0 : 1;
}

/** How the first attempt ended; null: there was none in time. */
async function attempted(db: Queryable, delivery: string): Promise<DeliveryState | null> {
  const endMs = systemClock.monotonicMs() + TEST_MS;
  while (systemClock.monotonicMs() < endMs) {
    const state = await deliveryState(db, delivery);
    if (state !== null && (state.state !== 'pending' || state.last_error !== null)) return state;
    await systemClock.sleep(200);
  }
  return null;
}

/** Errors: `work.not_found`. */
export async function retryCommand(invocation: Invocation, options: RetryOptions, reference: string): Promise<number> {
  const { output } = invocation;
  const { id, count } = await withDatabase(invocation, async (db) => {
    const hook = await findWebhook(db, reference);
    return { id: hook.id, count: await retryDeliveries(db, hook.id, options.delivery) };
  });
  if (count === 0 && options.delivery !== undefined) {
    throw new AnimusError('work.not_found', { detail: `no dead delivery ${options.delivery}`, hint: '' });
  }
  output.document({ id, retried: count });
  output.line(`${counted(count, 'delivery', 'deliveries')} of webhook ${shortId(id)} will be sent again`);
  return 0;
}

/** Sends webhooks: the database decides which daemon sends what, and when again (docs/webhooks.md). */

import { settingsIn } from '../../core/config/config.ts';
import { messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { type Lease, timedLease } from '../../core/lifecycle/lease.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { parseWebTarget } from '../../core/text/web-target.ts';
import type { PartOfDaemon } from '../../daemon/parts/daemon-part.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Log } from '../../telemetry/log.ts';
import { count } from '../../telemetry/metrics.ts';
import type { WebReach } from '../../tools/web/guarded-agent.ts';
import { webhookKeys, webhookSection } from './config.ts';
import { type ClaimedDelivery, claimDeliveries, endDelivery, SEND_MS, sendDelivery } from './deliveries.ts';
import { webhookKeyMark } from './store.ts';

export interface WebhookSenderParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** From which the secrets of webhooks are derived; none: this daemon sends nothing. */
  readonly keys: readonly Secret[];
  /** What webhooks may reach now. */
  readonly reach: () => WebReach;
  /** The most that one delivery takes; default 15 s, less than a claim. */
  readonly sendMs?: number;
  /** How often it looks, on average; default 1 s. It looks at once when a delivery ended. */
  readonly lookMs?: number;
}

const LOOK_MS = 1000;
const MAX_AT_ONCE = 16;
/** After the death of a daemon, another sends what it was sending this much later. */
const CLAIM_SECONDS = 60;

/** The sender of a daemon. */
export function createWebhookService({ db, clock, log, settings }: PartOfDaemon): Service {
  const own = () => settingsIn(webhookSection, settings());
  const reach = () => ({ allow: own().allow.flatMap((target) => parseWebTarget(target) ?? []) });
  return createWebhookSender({ db, clock, log, keys: webhookKeys(own()), reach });
}

/** Every daemon of a database may run one. `stop` gives back what has not been answered. */
export function createWebhookSender(parts: WebhookSenderParts): Service {
  const { db, clock, log, keys, lookMs = LOOK_MS } = parts;
  const loop = createLoop(run);
  const { stopping } = loop;
  const sending = new Set<Promise<void>>();
  let troubled = false;

  async function run(): Promise<void> {
    if (keys.length === 0) return;
    const keyMarks = keys.map(webhookKeyMark);
    while (!stopping.aborted) {
      // From before the claim. One that is begun late, because this process was frozen, would reach into the next daemon's.
      const lease = timedLease(clock, CLAIM_SECONDS * 1000 - SEND_MS);
      for (const delivery of await claim(keyMarks)) start(delivery, lease);
      await Promise.race([clock.sleep(lookMs * (0.75 + Math.random() / 2), stopping), ...sending]);
    }
    await Promise.all(sending);
  }

  async function claim(keyMarks: readonly string[]): Promise<readonly ClaimedDelivery[]> {
    if (sending.size >= MAX_AT_ONCE) return [];
    try {
      const claimed = await claimDeliveries(db, keyMarks, MAX_AT_ONCE - sending.size, CLAIM_SECONDS);
      troubled = false;
      return claimed;
    } catch (error) {
      if (!troubled) log.error({ error: messageOf(error) }, 'cannot read the deliveries of webhooks; trying again');
      troubled = true;
      return [];
    }
  }

  function start(delivery: ClaimedDelivery, lease: Lease): void {
    const sent = deliver(delivery, lease).finally(() => sending.delete(sent));
    sending.add(sent);
  }

  async function deliver(delivery: ClaimedDelivery, lease: Lease): Promise<void> {
    const until = { signal: stopping, lease };
    const end = await sendDelivery(delivery, keys, parts.reach(), until, parts.sendMs);
    try {
      const state = await endDelivery(db, delivery, end);
      count('work.webhooks', 1, { result: state === 'dead' ? 'dead' : end.result });
      const { webhookId: webhook, event, attempt } = delivery;
      if (state === 'dead')
        log.warn(
          { webhook, event, attempt, error: end.cause ?? end.error },
          'a webhook could not be delivered; it is a dead letter',
        );
      else if (end.result === 'failed')
        log.info(
          { webhook, event, attempt, error: end.cause ?? end.error },
          'a webhook was not accepted; it is sent again later',
        );
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'the result of a webhook could not be written; it is sent again');
    }
  }

  return loop;
}

/** Senders of webhooks on a test database, with one webhook and its receiver for each test. */
import { randomUUID } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import type { Service } from '../../../src/core/lifecycle/service.ts';
import { Secret } from '../../../src/core/secrets/secret.ts';
import { parseWebTarget } from '../../../src/core/text/web-target.ts';
import { webhookKeyMark, webhookSecret } from '../../../src/features/webhooks/secret.ts';
import { createWebhookSender } from '../../../src/features/webhooks/service.ts';
import { addWebhook } from '../../../src/features/webhooks/store.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { testDatabase } from '../../support/database.ts';
import { type WebhookReceiver, webhookReceiver } from './receiver.ts';

export const KEY = new Secret('k'.repeat(40));

interface Sending {
  readonly sendMs?: number;
  /** Default: the receivers on this machine. */
  readonly allowed?: readonly string[];
  readonly resolve?: LookupFunction;
  readonly keys?: readonly Secret[];
  readonly log?: Log;
}

interface DeliveryRow {
  readonly state: string;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
}

/** Call it where hooks may be registered. */
export function webhookSending() {
  const target = testDatabase();
  const senders: Service[] = [];
  const sending: { receiver: WebhookReceiver; hook: string } = { receiver: null!, hook: '' };
  const db = (): Database => target.database;
  const add = (url: string) => addHookTo(db(), url);

  beforeEach(async () => {
    await db().query('delete from animus.webhook_deliveries');
    await db().query('delete from animus.webhooks');
    sending.receiver = await webhookReceiver();
    sending.hook = await add(sending.receiver.url);
    sending.receiver.secret = secretOf(sending.hook, KEY, 1);
  });
  afterEach(async () => {
    await Promise.all(senders.splice(0).map((sender) => sender.stop()));
  });

  return {
    db,
    /** Of this test. */
    sending,
    add,
    /** A sender that is stopped after the test. */
    async startSender({
      sendMs,
      allowed = ['127.0.0.1'],
      resolve,
      keys = [KEY],
      log = silentLog,
    }: Sending = {}): Promise<Service> {
      const allow = allowed.map((one) => parseWebTarget(one)!);
      const sender = createWebhookSender({
        db: db(),
        clock: systemClock,
        log,
        keys,
        reach: () => ({ allow, ...(resolve && { resolve }) }),
        lookMs: 50,
        ...(sendMs === undefined ? {} : { sendMs }),
      });
      senders.push(sender);
      await sender.start();
      return sender;
    },
    /** All that wait may be sent at once. */
    async dueNow(): Promise<void> {
      await db().query(`update animus.webhook_deliveries set due_at = now() where state = 'pending'`);
    },
    states: () =>
      db().query<DeliveryRow & { readonly [column: string]: unknown }>(
        'select state, attempts, last_status, last_error from animus.webhook_deliveries order by id',
      ),
  };
}

/** The secret of a webhook as its receiver has it. */
export function secretOf(webhookId: string, key: Secret, secretVersion: number): string {
  return webhookSecret([key], { webhookId, keyMark: webhookKeyMark(key), secretVersion })!.reveal();
}

async function addHookTo(db: Database, url: string): Promise<string> {
  const id = randomUUID();
  const events = ['work.queued', 'work.cancelled'] as const;
  await addWebhook(db, { id, url, events, keyMark: webhookKeyMark(KEY) });
  return id;
}

/** Webhooks for tests: their rows, receivers on a loopback address, senders, and those of the examples in help. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import type { Service } from '../../../src/core/lifecycle/service.ts';
import { Secret } from '../../../src/core/secrets/secret.ts';
import { parseWebTarget } from '../../../src/core/text/web-target.ts';
import { type ClaimedDelivery, claimDeliveries, type DeliveryEnd } from '../../../src/features/webhooks/deliveries.ts';
import { createWebhookSender } from '../../../src/features/webhooks/service.ts';
import { addWebhook, type WebhookEvent, webhookKeyMark, webhookSecret } from '../../../src/features/webhooks/store.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { testDatabase } from '../../support/database.ts';

export interface Received {
  readonly id: string;
  readonly body: string;
  readonly event: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
  /** Whether a signature fits the secret. */
  readonly verified: boolean;
  readonly signatures: number;
}

export type Answer = (request: Received, response: ServerResponse, index: number) => void | Promise<void>;

export interface WebhookReceiver {
  readonly port: number;
  readonly url: string;
  readonly received: Received[];
  /** With which signatures are checked. */
  secret: string;
  answer: Answer;
}

/** Starts one; it is closed after the test. It accepts everything at first. */
export async function webhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    received: [],
    secret: '',
    answer: (_request, response) => void response.writeHead(204).end(),
  };

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const header = (name: string) => String(request.headers[name] ?? '');
    const id = header('webhook-id');
    const signed = `${id}.${header('webhook-timestamp')}.${body}`;
    const wanted = `v1,${createHmac('sha256', Buffer.from(receiver.secret.replace('whsec_', ''), 'base64'))
      .update(signed)
      .digest('base64')}`;
    const given = header('webhook-signature').split(' ');
    const verified =
      given.some((one) => one.length === wanted.length && timingSafeEqual(Buffer.from(one), Buffer.from(wanted))) &&
      Math.abs(Date.now() / 1000 - Number(header('webhook-timestamp'))) < 60;
    const one = { id, body, event: JSON.parse(body) as Received['event'], verified, signatures: given.length };
    receiver.received.push(one);
    await receiver.answer(one, response, receiver.received.length);
  }
  return receiver;
}

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

export async function addHookTo(db: Database, url: string): Promise<string> {
  const id = randomUUID();
  const events = ['work.queued', 'work.cancelled'] as const;
  await addWebhook(db, { id, url, events, keyMark: webhookKeyMark(KEY) });
  return id;
}

/** The fingerprint of the key that these webhooks have. */
export const MARK = '0123456789abcdef';
export const ARRIVED: DeliveryEnd = { result: 'delivered', status: 200, error: null, retryAfterSeconds: 0 };
export const REFUSED: DeliveryEnd = { result: 'failed', status: 500, error: 'no', retryAfterSeconds: 0 };

interface Given {
  readonly url?: string;
  readonly events?: readonly WebhookEvent[];
  readonly faculties?: readonly string[];
  readonly person?: string;
  readonly label?: string;
}

/** Adds a webhook, by default for `work.queued`, and returns its id. */
export async function addHook(db: Queryable, given: Given = {}): Promise<string> {
  const id = randomUUID();
  await addWebhook(db, { id, url: 'https://example.com/hook', events: ['work.queued'], keyMark: MARK, ...given });
  return id;
}

export async function removeHooks(db: Queryable): Promise<void> {
  await db.query('delete from animus.webhook_deliveries');
  await db.query('delete from animus.webhooks');
  await db.query('delete from animus.people');
}

/** Inserts an item and returns its id. */
export async function submitItem(db: Queryable, faculty = 'f'): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ($1, 'd') returning id`,
    [faculty],
  );
  return row!.id;
}

export function claimHooks(db: Queryable, limit = 16): Promise<ClaimedDelivery[]> {
  return claimDeliveries(db, [MARK], limit, 60);
}

/** All deliveries, oldest first. */
export function deliveryRows(db: Queryable) {
  return db.query<{
    webhook_id: string;
    work_item_id: string;
    event: string;
    state: string;
    body: string;
    last_error: string | null;
  }>('select webhook_id, work_item_id, event, state, body, last_error from animus.webhook_deliveries order by id');
}

const EXAMPLE_ID = '4f2a9c1d-0000-4000-8000-000000000000';

/** The key of webhooks in the environment of the examples. */
export const EXAMPLE_KEY = 'k'.repeat(32);

/** The webhook that the examples name, with a dead delivery 1234. Tests of it arrive at once, as if a daemon had sent them. */
export async function exampleWebhook(db: Queryable): Promise<void> {
  // The trigger of an earlier example would let the dead delivery arrive.
  await db.query('drop trigger if exists arrive on animus.webhook_deliveries');
  await db.query(`delete from animus.webhooks; delete from animus.webhook_deliveries`);
  await db.query(
    `select animus.add_webhook('${EXAMPLE_ID}', 'https://example.com/animus', array['work.dead'], '${webhookKeyMark(new Secret(EXAMPLE_KEY))}')`,
  );
  await db.query(
    `insert into animus.webhook_deliveries (id, webhook_id, event, body, state, attempts, due_at, created_at, ended_at)
     overriding system value values (1234, '${EXAMPLE_ID}', 'work.dead', '{}', 'dead', 12, now(), now(), now())`,
  );
  await db.query(
    `create or replace function public.arrive() returns trigger language plpgsql as
       $$ begin new.state := 'delivered'; new.last_status := 204; new.ended_at := now(); return new; end $$;
     create or replace trigger arrive before insert on animus.webhook_deliveries for each row execute function public.arrive()`,
  );
}

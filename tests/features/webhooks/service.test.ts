import { expect, test } from 'vitest';
import { Secret } from '../../../src/core/secrets/secret.ts';
import { webhookKeyMark } from '../../../src/features/webhooks/secret.ts';
import {
  listDeadDeliveries,
  retryDeliveries,
  rotateWebhook,
  testWebhook,
} from '../../../src/features/webhooks/store.ts';
import { eventually } from '../../support/eventually.ts';
import { webhookReceiver } from './receiver.ts';
import { KEY, secretOf, webhookSending } from './sending.ts';

const { db, sending, startSender, dueNow, states } = webhookSending();

test('a delivery is signed as in Standard Webhooks, and arrives once', async () => {
  await startSender();
  await startSender();
  const id = await submit();
  await cancel(id);
  await eventually('both events', () => (sending.receiver.received.length >= 2 ? true : null));
  expect(sending.receiver.received.map(({ event, verified }) => [event.type, event.data['id'], verified])).toEqual([
    ['work.queued', id, true],
    ['work.cancelled', id, true],
  ]);
  expect(sending.receiver.received[1]!.event.data).toMatchObject({ previous_state: 'queued', state: 'cancelled' });
  expect(new Set(sending.receiver.received.map(({ id: message }) => message)).size).toBe(2);
  await eventually('the end', async () => ((await states()).every(({ state }) => state === 'delivered') ? true : null));
});

test('what is refused is sent again with the same id and body, before later events of the item', async () => {
  sending.receiver.answer = (_request, response, index) => void response.writeHead(index === 1 ? 503 : 200).end();
  const id = await submit();
  await cancel(id);
  await startSender();
  await eventually('the first attempt', async () =>
    (await states()).some(({ last_status }) => last_status === 503) ? true : null,
  );
  expect(sending.receiver.received).toHaveLength(1);
  await dueNow();
  await eventually('all', () => (sending.receiver.received.length === 3 ? true : null));
  const [first, again, cancelled] = sending.receiver.received;
  expect(again).toEqual(first);
  expect(cancelled!.event.type).toBe('work.cancelled');
});

test('the twelfth failure is a dead letter; a retry sends it again', async () => {
  sending.receiver.answer = (_request, response) => void response.writeHead(500).end();
  await testWebhook(db(), sending.hook);
  await db().query('update animus.webhook_deliveries set attempts = 11');
  await startSender();
  const [dead] = await eventually('the dead letter', async () => {
    const list = await listDeadDeliveries(db(), sending.hook);
    return list.length > 0 ? list : null;
  });
  expect(dead).toMatchObject({ event: 'webhook.test', attempts: 12, last_status: 500 });
  sending.receiver.answer = (_request, response) => void response.writeHead(200).end();
  expect(await retryDeliveries(db(), sending.hook, undefined)).toBe(1);
  await eventually('the delivery', async () => ((await states())[0]!.state === 'delivered' ? true : null));
  expect(sending.receiver.received[1]!.id).toBe(sending.receiver.received[0]!.id);
});

test.each([
  [
    'a redirect',
    (other: string) => ({ status: 302, headers: { location: other } }),
    /answered 302: redirects are not followed/,
    'pending',
  ],
  ['410', () => ({ status: 410, headers: {} }), /410/, 'dead'],
])('%s', async (_what, answer, error, state) => {
  const other = await webhookReceiver();
  const { status, headers } = answer(other.url);
  sending.receiver.answer = (_request, response) => void response.writeHead(status, headers).end();
  await testWebhook(db(), sending.hook);
  await startSender();
  await eventually('the failure', async () => ((await states())[0]!.last_error !== null ? true : null));
  expect(await states()).toMatchObject([{ state, last_status: status, last_error: expect.stringMatching(error) }]);
  expect(other.received).toEqual([]);
});

test('a new secret, of another key: deliveries have both signatures until the time of the one before is over', async () => {
  const next = new Secret('n'.repeat(40));
  await rotateWebhook(db(), sending.hook, webhookKeyMark(next), 24);
  await startSender({ keys: [next, KEY] });
  await testWebhook(db(), sending.hook);
  await eventually('a test', () => (sending.receiver.received.length === 1 ? true : null));
  // The receiver still has the old secret.
  expect(sending.receiver.received[0]).toMatchObject({ verified: true, signatures: 2 });
  sending.receiver.secret = secretOf(sending.hook, next, 2);
  await db().query('update animus.webhooks set old_until = now()');
  await eventually('a free place', async () => ((await states())[0]!.state === 'delivered' ? true : null));
  await testWebhook(db(), sending.hook);
  await eventually('another test', () => (sending.receiver.received.length === 2 ? true : null));
  expect(sending.receiver.received[1]).toMatchObject({ verified: true, signatures: 1 });
  expect(await rotateWebhook(db(), sending.hook, webhookKeyMark(next), 0)).toBe(3);
  sending.receiver.secret = secretOf(sending.hook, next, 3);
  await testWebhook(db(), sending.hook);
  await eventually('the third test', () => (sending.receiver.received.length === 3 ? true : null));
  expect(sending.receiver.received[2]).toMatchObject({ verified: true, signatures: 1 });
});

test('a stopped daemon gives back what was not answered, and one with another key sends nothing', async () => {
  const arrived = Promise.withResolvers<void>();
  sending.receiver.answer = () => arrived.resolve();
  await testWebhook(db(), sending.hook);
  const sender = await startSender();
  await arrived.promise;
  await sender.stop();
  expect(await db().query('select state, attempts, claim from animus.webhook_deliveries')).toEqual([
    { state: 'pending', attempts: 0, claim: null },
  ]);
  sending.receiver.answer = (_request, response) => void response.writeHead(200).end();
  const keyMark = webhookKeyMark(new Secret('x'.repeat(40)));
  expect(await db().query('select * from animus.claim_deliveries($1::text[])', [[keyMark]])).toEqual([]);
  await startSender();
  await eventually('the delivery', async () => ((await states())[0]!.state === 'delivered' ? true : null));
});

async function submit(): Promise<string> {
  const [row] = await db().query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('f', 'd') returning id`,
  );
  return row!.id;
}

async function cancel(id: string): Promise<void> {
  await db().query(`select animus.cancel_work($1, 'not needed')`, [id]);
}

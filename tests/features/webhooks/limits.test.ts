import { beforeEach, expect, test } from 'vitest';
import { readStatus } from '../../../src/features/operate/status/status.ts';
import { endDelivery, pruneDeliveries } from '../../../src/features/webhooks/deliveries.ts';
import { listDeadDeliveries, listWebhooks, retryDeliveries } from '../../../src/features/webhooks/store.ts';
import { testDatabase } from '../../support/database.ts';
import { ARRIVED, addHook, claimHooks, deliveryRows, REFUSED, removeHooks, submitItem } from './rows.ts';

const target = testDatabase();
const status = () => readStatus(target.database);

beforeEach(() => removeHooks(target.database));

test('a webhook has four deliveries under way and no more, whoever claims, so others are not held up', async () => {
  const slow = await addHook(target.database, { label: 'slow' });
  for (let n = 0; n < 12; n++) await submitItem(target.database);
  const claims = await Promise.all(Array.from({ length: 8 }, () => claimHooks(target.database, 3)));
  const claimed = claims.flat();
  expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length);
  for (let n = 0; n < 4; n++) claimed.push(...(await claimHooks(target.database)));
  expect(claimed).toHaveLength(4);
  const other = await addHook(target.database, { label: 'other' });
  await submitItem(target.database);
  expect(await claimHooks(target.database)).toMatchObject([{ webhookId: other }]);
  expect(await endDelivery(target.database, claimed[0]!, ARRIVED)).toBe('delivered');
  expect(await claimHooks(target.database)).toMatchObject([{ webhookId: slow }]);
});

test('eight at once never get more than four', async () => {
  await addHook(target.database);
  for (let n = 0; n < 40; n++) await submitItem(target.database);
  for (let round = 0; round < 5; round++) {
    const claimed = (await Promise.all(Array.from({ length: 8 }, () => claimHooks(target.database)))).flat();
    expect(claimed.length).toBeLessThanOrEqual(4);
    for (const one of claimed) await endDelivery(target.database, one, ARRIVED);
  }
});

test('what has waited longest comes first, so that a busy webhook does not hold up another', async () => {
  const busy = await addHook(target.database, { label: 'busy' });
  for (let n = 0; n < 8; n++) await submitItem(target.database);
  await target.database.query(`update animus.webhook_deliveries set due_at = now() - interval '1 minute'`);
  const quiet = await addHook(target.database, { label: 'quiet', faculties: ['quiet'] });
  await submitItem(target.database, 'quiet');
  await target.database.query(
    `update animus.webhook_deliveries set due_at = now() - interval '2 minutes' where webhook_id = $1`,
    [quiet],
  );
  expect(await claimHooks(target.database, 1)).toMatchObject([{ webhookId: quiet }]);
  expect(await claimHooks(target.database, 1)).toMatchObject([{ webhookId: busy }]);
});

test('later events of an item wait as long as the one before it, also those that come meanwhile', async () => {
  await addHook(target.database, { events: ['work.queued', 'work.cancelled', 'work.claimed'] });
  const id = await submitItem(target.database);
  const [first] = await claimHooks(target.database);
  await target.database.query('select animus.cancel_work($1)', [id]);
  expect(await endDelivery(target.database, first!, REFUSED)).toBe('pending');
  await target.database.query('select animus.retry_work($1)', [id]);
  const rows = await target.database.query<{ event: string; same: boolean; later: boolean }>(
    `select event, due_at = min(due_at) over () as same, due_at > now() as later from animus.webhook_deliveries order by id`,
  );
  expect(rows).toEqual(
    ['work.queued', 'work.cancelled', 'work.queued'].map((event) => ({ event, same: true, later: true })),
  );
  await target.database.query('update animus.webhook_deliveries set due_at = now()');
  const seen: string[] = [];
  for (const _ of rows) {
    const [next, ...others] = await claimHooks(target.database);
    expect(others).toEqual([]);
    seen.push(next!.id);
    await endDelivery(target.database, next!, ARRIVED);
  }
  expect(seen).toEqual([...seen].sort((a, b) => Number(a) - Number(b)));
  expect(seen[0]).toBe(first!.id);
});

test('a dead letter that is sent again waits until the newer one that is under way has ended', async () => {
  const hook = await addHook(target.database, { events: ['work.queued', 'work.cancelled'] });
  const id = await submitItem(target.database);
  const [first] = await claimHooks(target.database);
  await endDelivery(target.database, first!, { ...REFUSED, result: 'gone' });
  await target.database.query('select animus.cancel_work($1)', [id]);
  const [second] = await claimHooks(target.database);
  expect(await retryDeliveries(target.database, hook, undefined)).toBe(1);
  expect(await claimHooks(target.database)).toEqual([]);
  await endDelivery(target.database, second!, ARRIVED);
  expect(await claimHooks(target.database)).toMatchObject([{ id: first!.id }]);
});

test('when too many wait, new ones become dead letters, then they are dropped; both are shown, and end', async () => {
  await target.database.query(
    'create or replace function animus.webhook_limit() returns int language sql immutable as $$ select 10 $$',
  );
  const hook = await addHook(target.database);
  const counts = async () => {
    const [view] = await listWebhooks(target.database, hook);
    return [view!.pending, view!.dead, view!.overflow, view!.dropped_at !== null];
  };
  await target.database.query(
    `insert into animus.work_items (faculty, description) select 'f', n::text from generate_series(1, 15) n`,
  );
  expect(await counts()).toEqual([10, 5, 'dead', false]);
  expect(await listDeadDeliveries(target.database, hook)).toMatchObject(
    Array.from({ length: 5 }, () => ({ attempts: 0, last_error: 'too many deliveries of the webhook were waiting' })),
  );
  expect(await status()).toMatchObject({ webhooks: { dead: 5, full: 1, dropping: 0 } });
  for (let n = 0; n < 10; n++) await submitItem(target.database);
  expect(await counts()).toEqual([10, 10, 'dropped', true]);
  expect(await status()).toMatchObject({ webhooks: { dead: 10, full: 0, dropping: 1 } });
  // Two arrive: a tenth and more is free again.
  for (const one of (await claimHooks(target.database)).slice(0, 2)) await endDelivery(target.database, one, ARRIVED);
  expect(await counts()).toEqual([8, 10, null, true]);
  // As many as may wait.
  expect(await retryDeliveries(target.database, hook, undefined)).toBe(2);
  expect((await listDeadDeliveries(target.database, hook)).length).toBe(8);
  await target.database.query(
    `update animus.webhook_deliveries set state = 'dead', ended_at = now(), claim = null where state = 'pending'`,
  );
  await pruneDeliveries(target.database, 7, 100);
  expect(await counts()).toEqual([0, 10, null, true]);
  expect((await deliveryRows(target.database)).filter(({ state }) => state === 'delivered')).toHaveLength(2);
});

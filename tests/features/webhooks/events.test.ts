import { beforeEach, expect, test } from 'vitest';
import * as conversations from '../../../src/features/conversations/store/conversations.ts';
import * as messages from '../../../src/features/conversations/store/messages.ts';
import { readStatus } from '../../../src/features/operate/status/status.ts';
import { endDelivery, pruneDeliveries } from '../../../src/features/webhooks/deliveries.ts';
import * as store from '../../../src/features/webhooks/store.ts';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { completeWork, failWork } from '../../../src/store/work/work.ts';
import { beginAnswer, newTalk } from '../../store/conversations/begun.ts';
import { write } from '../../store/skills/written-skills.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';
import { beginHeld, beginLimited, limit } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';
import { ARRIVED, addHook, claimHooks, deliveryRows, REFUSED, removeHooks, submitItem } from './fixtures.ts';

const target = testDatabase();
const ERROR = { code: 'internal.bug', message: 'broken' };

beforeEach(() => removeHooks(target.database));

test('each state that an item enters, in order: a retry of the daemon, its end, and a retry of a person', async () => {
  await addHook(target.database, { events: store.webhookEvent.words });
  let work = await beginFocus(target.database);
  const { id } = work;
  await failWork(target.database, work, ERROR, 3600);
  expect(await eventsOf(id)).toEqual([
    [null, 'work.queued'],
    ['queued', 'work.claimed'],
    ['claimed', 'work.running'],
    ['running', 'work.scheduled'],
  ]);
  work = await beginFocus(target.database);
  expect(await failWork(target.database, work, ERROR, null)).toBe('dead');
  await target.database.query(`select animus.retry_work($1)`, [work.id]);
  const again = await beginFocus(target.database, { id: work.id });
  await completeWork(target.database, again, { text: 'secret result' }, 'secret summary');
  expect((await eventsOf(work.id)).slice(2)).toEqual([
    ['claimed', 'work.running'],
    ['running', 'work.dead'],
    ['dead', 'work.queued'],
    ['queued', 'work.claimed'],
    ['claimed', 'work.running'],
    ['running', 'work.completed'],
  ]);
  await target.database.query(`select animus.cancel_work($1, 'not needed')`, [id]);
  expect((await eventsOf(id)).at(-1)).toEqual(['scheduled', 'work.cancelled']);
  expect(JSON.stringify(await deliveryRows(target.database))).not.toContain('secret');
});

test('many that end in one statement', async () => {
  await addHook(target.database, { events: ['work.completed'] });
  const works = [await beginFocus(target.database), await beginFocus(target.database)];
  await target.database.query(`select animus.complete_works($1::uuid[], $2::bigint[], array['{}', '{}']::jsonb[])`, [
    works.map(({ id }) => id),
    works.map(({ leaseToken }) => leaseToken),
  ]);
  for (const { id } of works) expect(await eventsOf(id)).toEqual([['running', 'work.completed']]);
});

test('what waits for a person: a call, and the version of a skill that work proposes', async () => {
  await addHook(target.database, { events: ['approval.waiting'] });
  const work = await beginFocus(target.database);
  await ask(work);
  const { hash, version } = await write(target.database, work, 'made-by-work', { mode: 'ask' });
  expect(version).toBe(1);
  const [call, skill] = (await deliveryRows(target.database)).map(({ body }) => JSON.parse(body).data);
  expect(call).toMatchObject({ id: work.id, call_id: 'c1', kind: 'approval', subject: 'tool_call' });
  const shown = await target.database.query(
    `select work_item_id as id, faculty, ask_id, call_id, kind, subject, hash, submitted_by from animus.inbox where work_item_id = $1 order by asked_at`,
    [work.id],
  );
  expect([call, skill]).toMatchObject(shown);
  expect(skill).toMatchObject({ call_id: null, ask_id: expect.any(String), subject: 'skill', hash, deadline: null });
});

test('work that waits for one limit is one event, and what still waits after an approval is another', async () => {
  const { database } = target;
  await addHook(database, { events: ['approval.waiting'] });
  const faculty = `f${crypto.randomUUID()}`;
  await addHook(database, { events: ['approval.waiting'], faculties: ['another'] });
  await limit(database, 'faculty', faculty, 0.5, { period: 'day' });
  const items: FocusedWork[] = [];
  for (const usd of [0.6, 0.7, 40]) {
    const work = await beginLimited(database, faculty);
    await beginHeld(database, work, 1, usd);
    await parkWork(database, work);
    items.push(work);
  }
  const told = async () => (await deliveryRows(database)).map(({ body }) => JSON.parse(body).data as object);
  const [entry] = await database.query<{ ask_id: string }>(`select ask_id from animus.inbox where subject = 'budget'`);
  expect(await told()).toMatchObject([{ id: items[0]!.id, subject: 'budget', ask_id: entry!.ask_id }]);
  await database.query(`select animus.approve($1, p_input => '{"add": 1}')`, [items[1]!.id]);
  const [left] = await database.query<{ ask_id: string }>(`select ask_id from animus.inbox where subject = 'budget'`);
  expect((await told()).slice(1)).toMatchObject([{ id: items[2]!.id, ask_id: left!.ask_id }]);
  await database.query('delete from animus.budget_limits');
});

test('who takes part in a conversation gets its answers and what they wait for, but no proposed skill, until it no longer takes part', async () => {
  await target.database.query(`select animus.set_person('eve'), animus.set_person('mallory')`);
  const eve = await addHook(target.database, {
    person: 'eve',
    events: ['work.queued', 'work.running', 'approval.waiting'],
  });
  await addHook(target.database, { person: 'mallory', events: store.webhookEvent.words });
  const talk = await newTalk(target.database);
  await conversations.setParticipant(target.database, talk.id, 'person:eve');
  await messages.sayInConversation(target.database, talk.id, 'Hello');
  const work = await beginAnswer(target.database, talk);
  await ask(work);
  await write(target.database, work, 'made-in-a-talk', { mode: 'ask' });
  const rows = await deliveryRows(target.database);
  expect(rows.map(({ webhook_id, event }) => [webhook_id, event])).toEqual([
    [eve, 'work.queued'],
    [eve, 'work.running'],
    [eve, 'approval.waiting'],
  ]);
  expect(await claimHooks(target.database)).toMatchObject([{ event: 'work.queued' }]);
  await target.database.query('update animus.webhook_deliveries set claim = null, due_at = now()');
  await conversations.removeParticipant(target.database, talk.id, 'person:eve');
  for (const _ of rows) expect(await claimHooks(target.database)).toEqual([]);
  expect(await deliveryRows(target.database)).toEqual([]);
});

async function ask(work: FocusedWork): Promise<void> {
  await recordCalls(target.database, work, 1, ['c1'], 'bash');
  const asks = { subject: 'tool_call', request: { reason: 'a rule', gate: 'permissions' }, seconds: 60 } as const;
  await askPerson(target.database, work.key, 1, 'c1', 'approval', asks);
}

/** The state before, and the event. */
async function eventsOf(id: string) {
  const rows = await deliveryRows(target.database);
  return rows
    .filter(({ work_item_id: item }) => item === id)
    .map(({ event, body }) => [JSON.parse(body).data.previous_state, event]);
}

const status = () => readStatus(target.database);

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
  expect(await store.retryDeliveries(target.database, hook, undefined)).toBe(1);
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
    const [view] = await store.listWebhooks(target.database, hook);
    return [view!.pending, view!.dead, view!.overflow, view!.dropped_at !== null];
  };
  await target.database.query(
    `insert into animus.work_items (faculty, description) select 'f', n::text from generate_series(1, 15) n`,
  );
  expect(await counts()).toEqual([10, 5, 'dead', false]);
  expect(await store.listDeadDeliveries(target.database, hook)).toMatchObject(
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
  expect(await store.retryDeliveries(target.database, hook, undefined)).toBe(2);
  expect((await store.listDeadDeliveries(target.database, hook)).length).toBe(8);
  await target.database.query(
    `update animus.webhook_deliveries set state = 'dead', ended_at = now(), claim = null where state = 'pending'`,
  );
  await pruneDeliveries(target.database, 7, 100);
  expect(await counts()).toEqual([0, 10, null, true]);
  expect((await deliveryRows(target.database)).filter(({ state }) => state === 'delivered')).toHaveLength(2);
});

import { beforeEach, expect, test } from 'vitest';
import { removeParticipant, setParticipant } from '../../../src/features/conversations/store/conversations.ts';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { webhookEvent } from '../../../src/features/webhooks/store.ts';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { completeWork, failWork } from '../../../src/store/work/work.ts';
import { beginAnswer, newTalk } from '../../store/conversations/talk.ts';
import { write } from '../../store/skills/written-skills.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';
import { beginHeld, beginLimited, limit } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';
import { addHook, claimHooks, deliveryRows, removeHooks } from './rows.ts';

const target = testDatabase();
const ERROR = { code: 'internal.bug', message: 'broken' };

beforeEach(() => removeHooks(target.database));

test('each state that an item enters, in order: a retry of the daemon, its end, and a retry of a person', async () => {
  await addHook(target.database, { events: webhookEvent.words });
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

test('who takes part in a conversation gets its answers and what they wait for, but no proposed skill, until it takes part no longer', async () => {
  await target.database.query(`select animus.set_person('eve'), animus.set_person('mallory')`);
  const eve = await addHook(target.database, {
    person: 'eve',
    events: ['work.queued', 'work.running', 'approval.waiting'],
  });
  await addHook(target.database, { person: 'mallory', events: webhookEvent.words });
  const talk = await newTalk(target.database);
  await setParticipant(target.database, talk.id, 'person:eve');
  await sayInConversation(target.database, talk.id, 'Hello');
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
  await removeParticipant(target.database, talk.id, 'person:eve');
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

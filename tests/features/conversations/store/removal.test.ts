/** Promise: retention removes deleted conversations with all that belongs to them, leaves the others whole, and nothing refers to what is gone. */
import { expect, test } from 'vitest';
import { deleteConversation, setParticipant } from '../../../../src/features/conversations/store/conversations.ts';
import {
  attachToMessage,
  deleteMessage,
  editMessage,
  retryMessage,
  sayInConversation,
} from '../../../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../../../src/features/conversations/store/read-messages.ts';
import { pruneConversations } from '../../../../src/store/work/retention.ts';
import { beginAnswer, claimOf, newTalk, recordText, type Talk } from '../../../store/conversations/begun.ts';
import { randomOf } from '../../../store/events/random-history.ts';
import { recordCalls } from '../../../support/begun-focus.ts';
import { testDatabase } from '../../../support/database.ts';

const target = testDatabase();
const db = () => target.database;

test.each([1, 2, 3])('random conversations, seed %i', async (seed) => {
  const random = randomOf(seed);
  const talks = await Promise.all(Array.from({ length: 4 }, () => newTalk(db(), { whileAnswering: 'tell' })));
  for (let step = 0; step < 40; step++) await change(talks[Math.floor(random() * talks.length)]!, random);
  const gone = talks.slice(0, 2).map(({ id }) => id);
  const kept = await Promise.all(talks.slice(2).map(({ id }) => contentOf(id)));
  for (const id of gone) await deleteConversation(db(), id);
  await endAll(talks.slice(0, 2));
  const items = await itemsOf(gone);
  expect(items.length).toBeGreaterThan(3);
  await db().query(
    `update animus.files set deleted_at = deleted_at - interval '2 h', updated_at = updated_at - interval '2 h' where id = any ($1)`,
    [gone],
  );
  expect(await pruneConversations(db(), 365, 100)).toBe(2);

  expect(await db().query('select from animus.work_items where root_id = any ($1)', [items])).toEqual([]);
  expect(await danglers()).toEqual([]);
  expect(await Promise.all(talks.slice(2).map(({ id }) => contentOf(id)))).toEqual(kept);
});

/** Something that happens in a conversation. */
async function change(talk: Talk, random: () => number): Promise<void> {
  const shown = await readConversation(db(), talk.id);
  const own = shown.filter(({ role, told }) => role === 'user' && !told);
  const one = own[Math.floor(random() * own.length)];
  const dice = random();
  if (dice < 0.35 || one === undefined) {
    await db().transaction(async (tx) => {
      const said = await sayInConversation(tx, talk.id, `words ${random()}`);
      if (!said.told && random() < 0.6)
        await attachToMessage(tx, said.workItemId, { name: 'a.txt', content: Buffer.from(`${random()}`) });
    });
  } else if (dice < 0.65) await answerNext(talk, random);
  else if (dice < 0.75) await editMessage(db(), one.id, 'other words');
  else if (dice < 0.85) await retryMessage(db(), one.id);
  else if (dice < 0.95) await deleteMessage(db(), one.id);
  else await setParticipant(db(), talk.id, `person:p${Math.floor(random() * 3)}`);
}

/** Claims an answer, and ends it or leaves it open. */
async function answerNext(talk: Talk, random: () => number): Promise<void> {
  const work = await beginAnswer(db(), talk).catch(() => null);
  if (work === null) return;
  const before = await db().query<{ n: number }>('select animus.turns_of_chain($1) as n', [work.key.focusId]);
  const turn = before[0]!.n + 1;
  const recorded =
    random() < 0.5
      ? recordCalls(db(), work, turn, [`c${work.id}`], 'list_dir')
      : recordText(db(), work, turn, 'so far');
  // No turn begins while there are messages to be read.
  await recorded.catch((error: unknown) => expect(error).toMatchObject({ code: 'work.state' }));
  await db().query(`insert into animus.work_items (faculty, parent_id) select 'child', $1 where $2`, [
    work.id,
    random() < 0.3,
  ]);
  if (random() < 0.8) await db().query('select animus.cancel_work($1)', [work.id]);
  await db().query(
    'select animus.end_cancelled($1, $2) where exists (select from animus.work_items where id = $1 and cancel_requested_at is not null)',
    [work.id, work.leaseToken],
  );
}

/** Ends what still runs of deleted conversations, as their daemons do. */
async function endAll(talks: readonly Talk[]): Promise<void> {
  const open = await db().query<{ id: string; token: string }>(
    `select id, lease_token as token from animus.work_items where state in ('claimed', 'running') and cancel_requested_at is not null and faculty = any ($1)`,
    [talks.map(({ faculty }) => faculty)],
  );
  for (const { id, token } of open) await db().query('select animus.end_cancelled($1, $2)', [id, token]);
  for (const talk of talks) expect(await claimOf(db(), talk)).toBeNull();
}

const itemsOf = async (files: readonly string[]) =>
  (
    await db().query<{ item: string }>(
      'select distinct work_item_id as item from animus.chat_messages where file_id = any ($1) and work_item_id is not null',
      [files],
    )
  ).map(({ item }) => item);

const contentOf = async (id: string) => [
  await readConversation(db(), id),
  await db().query('select * from animus.files where conversation_id = $1 order by id', [id]),
];

/** What refers to rows that are gone, over all tables; decisions are kept for ever, and deliveries of webhooks for a time of their own. */
async function danglers(): Promise<unknown[]> {
  const columns = await db().query<{ table: string; column: string }>(
    `select c.table_name as table, c.column_name as column from information_schema.columns c
       join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'animus' and t.table_type = 'BASE TABLE' and c.data_type in ('uuid', 'bigint') and c.column_name = any ($1)
        and c.table_name not in ('decisions', 'webhook_deliveries')`,
    [Object.keys(PARENTS)],
  );
  expect(columns.length).toBeGreaterThan(20);
  const found: unknown[] = [];
  for (const { table, column } of columns) {
    const parents = PARENTS[column]!.map(
      (parent) => `not exists (select from animus.${parent} p where p.id = r.${column})`,
    );
    const rows = await db().query(
      `select 1 from animus.${table} r where r.${column} is not null and ${parents.join(' and ')} limit 1`,
    );
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  return found;
}

const PARENTS: Readonly<Record<string, readonly string[]>> = {
  work_item_id: ['work_items'],
  parent_id: ['work_items'],
  root_id: ['work_items'],
  focus_id: ['foci'],
  continues: ['foci'],
  file_id: ['files'],
  conversation_id: ['files'],
  message_id: ['chat_messages'],
  after_id: ['chat_messages'],
  head_id: ['chat_messages'],
  replaces: ['chat_messages'],
  artifact_id: ['artifacts'],
};

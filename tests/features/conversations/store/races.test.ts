/** Promise: of two people who change a conversation at the same time, the second acts on what the first has left. */
import { expect, test } from 'vitest';
import { deleteConversation } from '../../../../src/features/conversations/store/conversations.ts';
import {
  deleteMessage,
  editMessage,
  importMessages,
  retryMessage,
  sayInConversation,
} from '../../../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../../../src/features/conversations/store/read-messages.ts';
import type { Queryable } from '../../../../src/store/sql/database.ts';
import { answer, newTalk, type Talk } from '../../../store/conversations/begun.ts';
import { itemOf } from '../../../support/begun-focus.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';

const target = testDatabase();
const db = () => target.database;
const say = (talk: Talk, text: string) => sayInConversation(db(), talk.id, text);
const shown = async ({ id }: Talk) => (await readConversation(db(), id)).map(({ content }) => content);

/** Lets the second wait for the transaction of the first, and returns how it ended: its result or its error. */
async function behind(first: (tx: Queryable) => Promise<unknown>, second: () => Promise<unknown>): Promise<unknown> {
  let result: Promise<unknown> | undefined;
  await db().transaction(async (tx) => {
    await first(tx);
    const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
    result = second().catch((error: unknown) => error);
    await eventually('the second waits', async () => {
      const sql = 'select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))';
      return (await db().query(sql, [row!.pid]))[0] ?? null;
    });
  });
  return result;
}

test.each([
  ['retry', (id: string) => retryMessage(db(), id)],
  ['edit', (id: string) => editMessage(db(), id, 'other')],
])('a deleted message does not come back by a %s', async (_, change) => {
  const talk = await newTalk(db());
  const one = await say(talk, 'the password is 1234');
  await answer(db(), talk, '1');
  const late = await behind(
    (tx) => deleteMessage(tx, one.messageId),
    () => change(one.messageId),
  );
  expect(late).toMatchObject({ code: 'work.state', message: expect.stringContaining('is deleted') });
  expect(await shown(talk)).toEqual(['1']);
});

test('nothing is said in, or imported into, a conversation that is being deleted', async () => {
  for (const add of [
    (id: string) => sayInConversation(db(), id, 'hello'),
    (id: string) => importMessages(db(), id, []),
  ]) {
    const talk = await newTalk(db());
    const late = await behind(
      (tx) => deleteConversation(tx, talk.id),
      () => add(talk.id),
    );
    expect(late).toMatchObject({ code: 'work.not_found' });
  }
});

test('a deleted conversation leaves no work, also of a message that was just being said', async () => {
  const talk = await newTalk(db());
  await say(talk, 'one');
  await answer(db(), talk, '1');
  let said: Awaited<ReturnType<typeof say>> | undefined;
  await behind(
    async (tx) => (said = await sayInConversation(tx, talk.id, 'two')),
    () => deleteConversation(db(), talk.id),
  );
  expect(await itemOf(db(), said!.workItemId)).toMatchObject({ state: 'cancelled' });
});

test('an edit cancels also the answer to what was just being said on the branch that it leaves', async () => {
  const talk = await newTalk(db());
  const one = await say(talk, 'one');
  await answer(db(), talk, '1');
  let said: Awaited<ReturnType<typeof say>> | undefined;
  await behind(
    async (tx) => (said = await sayInConversation(tx, talk.id, 'two')),
    () => editMessage(db(), one.messageId, 'other'),
  );
  expect(await shown(talk)).toEqual(['other']);
  expect(await itemOf(db(), said!.workItemId)).toMatchObject({ state: 'cancelled' });
});

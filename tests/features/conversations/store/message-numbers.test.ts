/** Promise: the messages of a conversation are numbered 1, 2, …; a message keeps its number, and no other one gets it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { messageNumbered, readNumber } from '../../../../src/features/conversations/store/message-numbers.ts';
import {
  deleteMessage,
  editMessage,
  importMessages,
  sayInConversation,
} from '../../../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../../../src/features/conversations/store/read-messages.ts';
import { answer, beginAnswer, endAnswer, newTalk, type Talk } from '../../../store/conversations/begun.ts';
import { testDatabase } from '../../../support/database.ts';

const target = testDatabase();
const db = () => target.database;
const say = (talk: Talk, text: string) => sayInConversation(db(), talk.id, text);
const numbers = async ({ id }: Talk) => (await readConversation(db(), id)).map(({ number }) => number);
const all = async ({ id }: Talk) =>
  db().query('select id::text, number from animus.chat_messages where file_id = $1 order by id', [id]);

test('each conversation begins with 1; edits and deletions leave gaps', async () => {
  const [one, two] = [await newTalk(db()), await newTalk(db())];
  const first = await say(one, 'a');
  await say(two, 'x');
  await answer(db(), one, 'b');
  await answer(db(), two, 'y');
  expect([await numbers(one), await numbers(two)]).toEqual([
    [1, 2],
    [1, 2],
  ]);
  const edited = await editMessage(db(), first.messageId, 'A');
  expect(await readNumber(db(), one.id, edited.messageId)).toBe(3);
  await answer(db(), one, 'B');
  expect(await readConversation(db(), one.id)).toMatchObject([{ number: 3, replaces_number: 1 }, { number: 4 }]);
  await deleteMessage(db(), await messageNumbered(db(), one.id, '4'));
  await say(one, 'c');
  expect(await numbers(one)).toEqual([3, 5]);
  await expect(messageNumbered(db(), two.id, '3')).rejects.toMatchObject({ code: 'work.not_found' });
});

test('imported messages have numbers, too', async () => {
  const talk = await newTalk(db());
  await importMessages(db(), talk.id, [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
  ]);
  await say(talk, 'And now?');
  expect(await numbers(talk)).toEqual([1, 2, 3]);
});

test('an answer that ends while others say something gets a number of its own', async () => {
  for (let n = 0; n < 5; n++) {
    const talk = await newTalk(db());
    await say(talk, 'a');
    const work = await beginAnswer(db(), talk);
    await Promise.all([say(talk, 'b'), endAnswer(db(), work, 'one'), say(talk, 'c'), say(talk, 'd')]);
    const given = (await all(talk)).map((row) => (row as { number: number }).number);
    expect(given.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  }
});

test('messages of an earlier version get their numbers with the trigger', async () => {
  const talk = await newTalk(db());
  await say(talk, 'a');
  await answer(db(), talk, 'b');
  const before = await all(talk);
  const file = new URL('../../../../migrations/functions/conversations/numbers.sql', import.meta.url);
  await db().transaction(async (tx) => {
    await tx.query('drop trigger chat_messages_number on animus.chat_messages');
    await tx.query('alter table animus.chat_messages alter column number drop not null');
    await tx.query('alter table animus.chat_messages disable trigger keep_chat_message');
    await tx.query('update animus.chat_messages set number = null');
    await tx.query('alter table animus.chat_messages enable trigger keep_chat_message');
    await tx.query(readFileSync(file, 'utf8'));
  });
  expect(await all(talk)).toEqual(before);
  await say(talk, 'c');
  expect(await numbers(talk)).toEqual([1, 2, 3]);
});

test('what is no number is refused before the database is asked, and a number without a message by name', async () => {
  const none = { query: async () => [] };
  for (const given of ['x', '-1', '1.5', '', '1234567890'])
    await expect(messageNumbered(none, 'c', given)).rejects.toMatchObject({
      code: 'usage.invalid',
      message: expect.stringContaining(`${JSON.stringify(given)} is not the number of a message`),
    });
  await expect(messageNumbered(none, 'c', '7')).rejects.toMatchObject({
    code: 'work.not_found',
    message: expect.stringContaining('the conversation has no message 7'),
  });
});

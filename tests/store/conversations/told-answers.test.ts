/** Promise: everything that was said to people is in the conversation and its export, also the answer after which something was told. */
import { expect, test } from 'vitest';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../../src/features/conversations/store/read-messages.ts';
import { readVirtualFile } from '../../../src/features/conversations/store/workspaces.ts';
import { CONVERSATION_BEGINNING } from '../../../src/store/events/conversation-position.ts';
import { readConversationPage } from '../../../src/store/events/read-conversation-events.ts';
import { readEvents } from '../../../src/store/events/read-events.ts';
import { sayWork } from '../../../src/store/work/say-work.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { beginAnswer, endAnswer, newTalk, recordText } from './begun.ts';

const target = testDatabase();

test('the first answer stays in front of the one to what was told', async () => {
  const db = target.database;
  const talk = await newTalk(db, { whileAnswering: 'tell' });
  await sayInConversation(db, talk.id, 'What is the boiling point?');
  const work = await beginAnswer(db, talk);
  await recordText(db, work, 1, 'It boils at 100 °C.');
  await sayInConversation(db, talk.id, 'And in kelvin?');
  const [row] = await db.query<{ permit: string }>(`select animus.begin_turn($1, $2, 2) ->> 'permit' as permit`, [
    work.key.focusId,
    work.leaseToken,
  ]);
  expect(row!.permit).toBe('mail');
  await endAnswer(db, work, 'That is 373 K.', 2);
  const [, , answer] = await readConversation(db, talk.id);
  expect(answer!.content).toBe('It boils at 100 °C.\n\nThat is 373 K.');
  expect((await readVirtualFile(db, talk.id)).content).toContain('It boils at 100 °C.\n\nThat is 373 K.');

  // In the conversation, the text comes once, with the answer.
  const page = await readConversationPage(db, talk.id, CONVERSATION_BEGINNING, 100);
  expect(page!.events.map(({ event }) => event).find(({ type }) => type === 'done')).not.toHaveProperty('text');
});

test('the end of an item in its own stream has the text that stays, also from a packed transcript', async () => {
  const db = target.database;
  const work = await beginFocus(db);
  await recordText(db, work, 1, 'It boils at 100 °C.');
  await sayWork(db, work.id, 'And in kelvin?');
  await db.query('select animus.begin_turn($1, $2, 2)', [work.key.focusId, work.leaseToken]);
  await endAnswer(db, work, 'That is 373 K.', 2);
  const end = async () => (await readEvents(db, { kind: 'work', id: work.id }, null)).events.at(-1);
  const stays = { type: 'done', text: 'It boils at 100 °C.\n\nThat is 373 K.' };
  expect(await end()).toMatchObject(stays);
  await db.query(`select animus.pack_items(array[$1::uuid], 'infinity')`, [work.id]);
  expect(await db.query('select from animus.history where work_item_id = $1', [work.id])).toHaveLength(1);
  expect(await end()).toMatchObject(stays);
});

test('what was said beside calls, and nothing was told after, is not an answer of its own', async () => {
  const db = target.database;
  const talk = await newTalk(db);
  await sayInConversation(db, talk.id, 'Look');
  const work = await beginAnswer(db, talk);
  await recordText(db, work, 1, 'I look first.');
  await endAnswer(db, work, 'It is there.', 2);
  expect((await readConversation(db, talk.id)).at(-1)!.content).toBe('It is there.');
});

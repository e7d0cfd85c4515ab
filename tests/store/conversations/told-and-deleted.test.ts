/** Promise: what is told reaches one answer once, and what was deleted reaches none that begins or reads it later, however the two overlap. */
import { expect, test } from 'vitest';
import { deleteMessage, editMessage, sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { continueFocus, readAnswerStart } from '../../../src/store/conversations/answer-start.ts';
import { readEarlierActs } from '../../../src/store/transcript/earlier-foci.ts';
import { failWork } from '../../../src/store/work/work.ts';
import type { FocusedWork } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { answer, beginAnswer, claimOf, endAnswer, newTalk, type Talk } from './begun.ts';

const target = testDatabase();
const db = () => target.database;

const say = (talk: Talk, text: string) => sayInConversation(db(), talk.id, text);
const permit = async (work: FocusedWork, turn: number) => {
  const [row] = await db().query<{ permit: string }>(`select animus.begin_turn($1, $2, $3) ->> 'permit' as permit`, [
    work.key.focusId,
    work.leaseToken,
    turn,
  ]);
  return row!.permit;
};
const delivered = async (work: FocusedWork) =>
  db().query<{ content: string }>(
    "select content from animus.focus_messages where focus_id = $1 and kind = 'operator' order by seq",
    [work.key.focusId],
  );

test('of two equal words that were told, the next answer gets only those that the first did not read', async () => {
  const talk = await newTalk(db(), { whileAnswering: 'tell' });
  await say(talk, 'one');
  const first = await beginAnswer(db(), talk);
  await say(talk, 'go on');
  expect(await permit(first, 1)).toBe('mail');
  const unread = await say(talk, 'go on');
  await failWork(db(), first, { code: 'x', message: 'y' }, null);
  await say(talk, 'two');
  const second = await beginAnswer(db(), talk);
  expect((await readAnswerStart(db(), second.id))!.said.map(({ id, text }) => `${id} ${text}`)).toEqual([
    `${unread.messageId} go on`,
    expect.stringContaining('two'),
  ]);
});

test('what was told and deleted before the answer has read it does not reach the answer', async () => {
  const talk = await newTalk(db(), { whileAnswering: 'tell' });
  await say(talk, 'one');
  const first = await beginAnswer(db(), talk);
  const told = await say(talk, 'the password is 1234');
  await deleteMessage(db(), told.messageId);
  expect(await permit(first, 1)).not.toBe('mail');
  await say(talk, 'and quickly');
  await deleteMessage(db(), (await say(talk, 'it is 5678')).messageId);
  expect(await permit(first, 1)).toBe('mail');
  expect(await delivered(first)).toEqual([{ content: expect.stringContaining('and quickly') }]);
  await endAnswer(db(), first, '1');
});

test('what the first attempt read, and was deleted then, is not told to the second one', async () => {
  const talk = await newTalk(db(), { whileAnswering: 'tell' });
  await say(talk, 'one');
  const first = await beginAnswer(db(), talk);
  await say(talk, 'and quickly');
  const deleted = await say(talk, 'the password is 1234');
  expect(await permit(first, 1)).toBe('mail');
  await failWork(db(), first, { code: 'x', message: 'y' }, 0);
  await deleteMessage(db(), deleted.messageId);
  const second = await beginAnswer(db(), talk);
  expect((await readEarlierActs(db(), second.key.focusId)).messages.map(({ text }) => text)).toEqual(['and quickly']);
});

test('a deletion that commits after a chain has begun, and began before it, ends the chain', async () => {
  const talk = await newTalk(db());
  const one = await say(talk, 'the password is 1234');
  await answer(db(), talk, '1');
  const two = await say(talk, 'two');
  await answer(db(), talk, '2', 2);
  await editMessage(db(), two.messageId, 'other');
  let begun: Awaited<ReturnType<typeof beginAnswer>> | undefined;
  await db().transaction(async (tx) => {
    await deleteMessage(tx, one.messageId);
    begun = await beginAnswer(db(), talk);
  });
  expect(begun!.continues).toBeNull();
  await endAnswer(db(), begun!, 'the password is 1234');
  await say(talk, 'three');
  expect((await beginAnswer(db(), talk)).continues).toBeNull();
});

test('a chain that was chosen before a deletion is not gone on with after it', async () => {
  const talk = await newTalk(db());
  const one = await say(talk, 'the password is 1234');
  await answer(db(), talk, '1');
  await say(talk, 'two');
  const work = (await claimOf(db(), talk))!;
  const { before } = (await readAnswerStart(db(), work.id))!;
  await deleteMessage(db(), one.messageId);
  expect(await continueFocus(db(), work, { host: 'test', directoryRoot: '/nowhere' }, before!)).toBeNull();
  expect((await readAnswerStart(db(), work.id))!.before).toBeNull();
});

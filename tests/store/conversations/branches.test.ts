/** Promise: an answer goes on with the one before on its branch; what is edited, retried or deleted leaves the view and later contexts; what was told is not lost. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { changeConversation } from '../../../src/features/conversations/store/conversations.ts';
import {
  deleteMessage,
  editMessage,
  retryMessage,
  sayInConversation,
} from '../../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../../src/features/conversations/store/read-messages.ts';
import { readVirtualFile } from '../../../src/features/conversations/store/workspaces.ts';
import { readAnswerStart, readNewestWords } from '../../../src/store/conversations/answer-start.ts';
import { lockChildren, readChildren, spawnChildWork } from '../../../src/store/transcript/children.ts';
import { completeWork, failWork, releaseWork } from '../../../src/store/work/work.ts';
import { type FocusedWork, itemOf, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { answer, beginAnswer, claimOf, endAnswer, newTalk, recordText, type Talk } from './begun.ts';

const target = testDatabase();
const db = () => target.database;

const say = (talk: Talk, text: string) => sayInConversation(db(), talk.id, text);
const shown = async ({ id }: Talk) =>
  (await readConversation(db(), id)).map(({ role, content }) => `${role}: ${content}`);

describe('where an answer begins', () => {
  test('goes on with the focus before, and numbers its turns after it', async () => {
    const talk = await newTalk(db());
    await say(talk, 'one');
    const first = await answer(db(), talk, '1');
    await say(talk, 'two');
    const second = await beginAnswer(db(), talk);
    expect(second.continues).toBe(first.key.focusId);
    const [row] = await db().query('select continues, turns_before from animus.foci where id = $1', [
      second.key.focusId,
    ]);
    expect(row).toEqual({ continues: first.key.focusId, turns_before: 1 });
    expect(await readAnswerStart(db(), second.id)).toMatchObject({
      people: [expect.any(String)],
      said: [{ text: 'two' }],
    });
  });

  test('a retry goes on from before the message; an edit begins from the words', async () => {
    const talk = await newTalk(db());
    await say(talk, 'one');
    const first = await answer(db(), talk, '1');
    const two = await say(talk, 'two');
    await answer(db(), talk, '2', 2);
    const again = await retryMessage(db(), two.messageId);
    expect(await shown(talk)).toEqual(['user: one', 'assistant: 1', 'user: two']);
    expect((await answer(db(), talk, '2 again', 2)) as unknown).toMatchObject({ continues: first.key.focusId });
    await editMessage(db(), again.messageId, 'other');
    const edited = await beginAnswer(db(), talk);
    expect(edited).toMatchObject({ description: 'other', continues: null });
    const start = (await readAnswerStart(db(), edited.id))!;
    expect((await readNewestWords(db(), start.message, 10_000)).map(({ content }) => content)).toEqual(['one', '1']);
    expect(await shown(talk)).toEqual(['user: one', 'assistant: 1', 'user: other']);
  });

  test('an edit cancels answers under way on the branch that it leaves', async () => {
    const talk = await newTalk(db());
    const one = await say(talk, 'one');
    const two = await say(talk, 'two');
    const first = await beginAnswer(db(), talk);
    await editMessage(db(), one.messageId, 'other');
    expect(await itemOf(db(), two.workItemId)).toMatchObject({ state: 'cancelled' });
    expect(await itemOf(db(), first.id)).toMatchObject({ cancel_reason: 'its message was replaced' });
    expect(await shown(talk)).toEqual(['user: other']);
    expect(await claimOf(db(), talk)).toMatchObject({ description: 'other' });
  });

  test('a deletion begins anew, without what was deleted; later answers go on with that', async () => {
    const talk = await newTalk(db());
    const one = await say(talk, 'the password is 1234');
    await answer(db(), talk, 'I see');
    await deleteMessage(db(), one.messageId);
    await say(talk, 'two');
    const second = await beginAnswer(db(), talk);
    expect(second.continues).toBeNull();
    const start = (await readAnswerStart(db(), second.id))!;
    expect((await readNewestWords(db(), start.message, 10_000)).map(({ content }) => content)).toEqual(['I see']);
    await endAnswer(db(), second, '2');
    await say(talk, 'three');
    expect((await beginAnswer(db(), talk)).continues).toBe(second.key.focusId);
    expect((await readVirtualFile(db(), talk.id)).content).not.toContain('1234');
  });

  test('another faculty begins from the words', async () => {
    const talk = await newTalk(db());
    await say(talk, 'one');
    await answer(db(), talk, '1');
    const faculty = `f${randomUUID()}`;
    await changeConversation(db(), talk.id, { faculty });
    await say(talk, 'two');
    expect((await beginAnswer(db(), { ...talk, faculty })).continues).toBeNull();
  });
});

describe('a message that comes while an answer is given', () => {
  test('is told into it where the conversation says so, and makes no item', async () => {
    const talk = await newTalk(db(), { whileAnswering: 'tell' });
    const one = await say(talk, 'one');
    const first = await beginAnswer(db(), talk);
    expect(await say(talk, 'and quickly')).toMatchObject({ told: true, workItemId: one.workItemId });
    const [permit] = await db().query(`select animus.begin_turn($1, $2, 1) ->> 'permit' as permit`, [
      first.key.focusId,
      first.leaseToken,
    ]);
    expect(permit).toEqual({ permit: 'mail' });
    await endAnswer(db(), first, '1');
    expect(await shown(talk)).toEqual(['user: one', 'user: and quickly', 'assistant: 1']);
    expect(await claimOf(db(), talk)).toBeNull();
    expect((await say(talk, 'two')).told).toBe(false);
  });

  test('reaches the next answer if that one ends without it', async () => {
    const talk = await newTalk(db(), { whileAnswering: 'tell' });
    await say(talk, 'one');
    const first = await beginAnswer(db(), talk);
    await say(talk, 'and quickly');
    await failWork(db(), first, { code: 'x', message: 'y' }, null);
    await say(talk, 'two');
    const second = await beginAnswer(db(), talk);
    expect((await readAnswerStart(db(), second.id))!.said.map(({ text }) => text)).toEqual(['and quickly', 'two']);
  });
});

test('a released answer is resumed with its chain', async () => {
  const talk = await newTalk(db());
  await say(talk, 'one');
  await answer(db(), talk, '1');
  await say(talk, 'two');
  const second = await beginAnswer(db(), talk);
  await releaseWork(db(), second, { delaySeconds: 0, reason: 'test', cause: 'test' });
  const again = await beginAnswer(db(), talk);
  expect(again.key.focusId).toBe(second.key.focusId);
});

test('what is told to an answer that has not begun reaches it once, as mail', async () => {
  const talk = await newTalk(db(), { whileAnswering: 'tell' });
  await say(talk, 'one');
  await answer(db(), talk, '1');
  const two = await say(talk, 'two');
  expect(await say(talk, 'and this')).toMatchObject({ told: true, workItemId: two.workItemId });
  expect((await readAnswerStart(db(), two.workItemId))!.said.map(({ text }) => text)).toEqual(['two']);
  // Another answer than the one that it was told to gets it where that has ended without it.
  await db().query('select animus.cancel_work($1)', [two.workItemId]);
  const three = await say(talk, 'three');
  expect((await readAnswerStart(db(), three.workItemId))!.said.map(({ text }) => text)).toEqual([
    'two',
    'and this',
    'three',
  ]);
});

test('a deleted message leaves no empty answer, also if that was being given; words of an answer stay', async () => {
  const talk = await newTalk(db());
  const waiting = await say(talk, 'one');
  await deleteMessage(db(), waiting.messageId);
  expect(await shown(talk)).toEqual([]);
  for (const words of ['', 'I begin']) {
    const two = await say(talk, 'two');
    const work = await beginAnswer(db(), talk);
    if (words !== '') await recordText(db(), work, 1, words);
    await deleteMessage(db(), two.messageId);
    await db().query('select animus.end_cancelled($1, $2)', [work.id, work.leaseToken]);
  }
  expect(await shown(talk)).toEqual(['assistant: I begin']);
});

describe('child work of an answer', () => {
  const spawn = async (work: FocusedWork, dedupKey: string | null = null) => {
    await recordCalls(db(), work, 1, ['s'], 'spawn_child_work');
    const child = {
      faculty: 'x',
      description: 'd',
      params: {},
      skill: null,
      priority: null,
      dedupKey,
      detached: false,
    };
    const focus = { ...work.key, callId: 's' };
    return (await spawnChildWork(db(), focus, { ...child, traceContext: null }, { maxChildren: 9, maxDepth: 3 })).id;
  };

  test('goes on after it, and later answers of the chain wait for it and see its result', async () => {
    const talk = await newTalk(db());
    await say(talk, 'start it');
    const first = await beginAnswer(db(), talk);
    const child = await spawn(first);
    await completeWork(db(), first, { text: 'started' }, 'started');
    await say(talk, 'and?');
    const second = await beginAnswer(db(), talk);
    for (const ids of [null, [child]])
      expect(await lockChildren(db(), second.key, ids)).toEqual([{ childId: child, targetId: child, ended: false }]);
    expect(await readChildren(db(), second.id, null, 'conversation')).toMatchObject([{ id: child, state: 'queued' }]);
    expect(await readChildren(db(), second.id, null)).toEqual([]);
    // A cancelled later answer does not take it along.
    await db().query('select animus.cancel_work($1)', [second.id]);
    expect(await itemOf(db(), child)).toMatchObject({ state: 'queued' });
    const stranger = await beginAnswer(db(), await talkWith('other'));
    await expect(lockChildren(db(), stranger.key, [child])).rejects.toMatchObject({ code: 'work.invalid' });
  });

  test('is not a child of an answer on another branch', async () => {
    const talk = await newTalk(db());
    const one = await say(talk, 'start it');
    const first = await beginAnswer(db(), talk);
    const child = await spawn(first);
    await completeWork(db(), first, { text: 'started' }, 'started');
    await editMessage(db(), one.messageId, 'something else');
    const edited = await beginAnswer(db(), talk);
    await expect(lockChildren(db(), edited.key, [child])).rejects.toMatchObject({ code: 'work.invalid' });
  });

  const talkWith = async (text: string) => {
    const talk = await newTalk(db());
    await say(talk, text);
    return talk;
  };
});

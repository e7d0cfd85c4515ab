/** Promise: a message and the item for its answer are one transaction; answers of a branch come one after the other; what is edited, retried or deleted leaves the view and later contexts, and nothing is lost. */
import { describe, expect, test } from 'vitest';
import { deleteConversation } from '../../../../src/features/conversations/store/conversations.ts';
import { deleteMessage, sayInConversation } from '../../../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../../../src/features/conversations/store/read-messages.ts';
import { readAnswerStart } from '../../../../src/store/conversations/answer-start.ts';
import { openWait, parkWork } from '../../../../src/store/transcript/waits.ts';
import { cancelWork, retryWork } from '../../../../src/store/work/operate.ts';
import { completeWork, failWork } from '../../../../src/store/work/work.ts';
import {
  answer,
  beginAnswer,
  claimOf,
  endAnswer,
  newTalk,
  recordText,
  type Talk,
} from '../../../store/conversations/begun.ts';
import { itemOf, recordCalls } from '../../../support/begun-focus.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';

const target = testDatabase();
const db = () => target.database;

const say = (talk: Talk, text: string) => sayInConversation(db(), talk.id, text);
const shown = async ({ id }: Talk) =>
  (await readConversation(db(), id)).map(({ role, content }) => `${role}: ${content}`);

describe('a message', () => {
  test('has an item for its answer, and the answer stands after it', async () => {
    const talk = await newTalk(db());
    const said = await say(talk, 'Hello?');
    expect(await itemOf(db(), said.workItemId)).toMatchObject({
      state: 'queued',
      source: 'chat',
      description: 'Hello?',
      key_blocked: false,
    });
    await answer(db(), talk, 'Hello.');
    expect(await readConversation(db(), talk.id)).toMatchObject([
      { role: 'user', content: 'Hello?', state: 'completed' },
      {
        role: 'assistant',
        content: 'Hello.',
        ended_as: 'completed',
        author: `faculty:${talk.faculty}`,
        work_item_id: said.workItemId,
      },
    ]);
  });

  test('and its item are there together or not at all', async () => {
    const talk = await newTalk(db());
    const undone = db().transaction(async (tx) => {
      await sayInConversation(tx, talk.id, 'never said');
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    expect(await shown(talk)).toEqual([]);
    expect(await claimOf(db(), talk)).toBeNull();
  });

  test('touches its file', async () => {
    const talk = await newTalk(db());
    const at = async () =>
      (await db().query<{ at: Date }>('select updated_at as at from animus.files where id = $1', [talk.id]))[0]!.at;
    const before = await at();
    await say(talk, 'x');
    const said = await at();
    expect(said.getTime()).toBeGreaterThanOrEqual(before.getTime());
    await answer(db(), talk, 'y');
    expect((await at()).getTime()).toBeGreaterThanOrEqual(said.getTime());
  });

  test.each(['', ' \n', 'x'.repeat(65_537)])('is refused: %#', async (text) => {
    await expect(say(await newTalk(db()), text)).rejects.toMatchObject({ code: 'work.invalid' });
  });

  test('cannot be changed in its row, and only marked as deleted once', async () => {
    const talk = await newTalk(db());
    const { messageId } = await say(talk, 'x');
    const change = (set: string) => db().query(`update animus.chat_messages set ${set} where id = $1`, [messageId]);
    await expect(change(`content = 'y'`)).rejects.toThrow('append-only');
    await expect(change('work_item_id = null')).rejects.toThrow('append-only');
    await expect(change('number = number + 1')).rejects.toThrow('append-only');
    await expect(change(`ended_as = 'completed'`)).rejects.toThrow('append-only');
    expect(await deleteMessage(db(), messageId)).toBe(true);
    expect(await deleteMessage(db(), messageId)).toBe(false);
    await expect(change('deleted_at = null, deleted_by = null')).rejects.toThrow('append-only');
  });
});

describe('the answers of a branch', () => {
  test('come one after the other', async () => {
    const talk = await newTalk(db());
    await say(talk, 'one');
    await say(talk, 'two');
    const first = await beginAnswer(db(), talk);
    expect(await claimOf(db(), talk)).toBeNull();
    await endAnswer(db(), first, '1');
    expect((await beginAnswer(db(), talk)).description).toBe('two');
  });

  test('wait while the one before is parked, backs off, or is queued again', async () => {
    const talk = await newTalk(db());
    await say(talk, 'one');
    await say(talk, 'two');
    const first = await beginAnswer(db(), talk);
    await recordCalls(db(), first, 1, ['c1']);
    await openWait(db(), first.key, 1, 'c1', { kind: 'timer', deadline: new Date(Date.now() + 60_000) });
    expect(await parkWork(db(), first)).toBe('waiting');
    expect(await claimOf(db(), talk)).toBeNull();
    await db().query(`select animus.resolve_wait($1, 'c1', '{}')`, [first.id]);
    const again = (await claimOf(db(), talk))!;
    expect(again.id).toBe(first.id);
    await failWork(db(), again, { code: 'x', message: 'y' }, 3600);
    expect(await itemOf(db(), first.id)).toMatchObject({ state: 'scheduled' });
    expect(await claimOf(db(), talk)).toBeNull();
    await cancelWork(db(), first.id);
    expect((await claimOf(db(), talk))!.description).toBe('two');
  });

  test.each(['dead', 'cancelled'] as const)('go on after one that ended %s, which stays', async (state) => {
    const talk = await newTalk(db());
    await say(talk, 'one');
    await say(talk, 'two');
    const first = await beginAnswer(db(), talk);
    await recordText(db(), first, 1, 'half of');
    if (state === 'dead') await failWork(db(), first, { code: 'x', message: 'y' }, null);
    else {
      await cancelWork(db(), first.id);
      await db().query('select animus.end_cancelled($1, $2)', [first.id, first.leaseToken]);
    }
    expect(await readConversation(db(), talk.id)).toMatchObject([
      { content: 'one' },
      { role: 'assistant', content: 'half of', ended_as: state },
      { content: 'two', state: 'queued' },
    ]);
    const second = await beginAnswer(db(), talk);
    expect(second).toMatchObject({ description: 'two', continues: first.key.focusId });
  });

  test('do not overtake when one in the middle is cancelled', async () => {
    const talk = await newTalk(db());
    await say(talk, 'one');
    const second = await say(talk, 'two');
    await say(talk, 'three');
    const first = await beginAnswer(db(), talk);
    await cancelWork(db(), second.workItemId);
    expect(await claimOf(db(), talk)).toBeNull();
    await endAnswer(db(), first, '1');
    const third = await beginAnswer(db(), talk);
    expect(third).toMatchObject({ description: 'three', continues: first.key.focusId });
    // Nobody has been told what the cancelled item was about.
    expect((await readAnswerStart(db(), third.id))!.said.map(({ text }) => text)).toEqual(['two', 'three']);
  });

  test('that two people ask for at once have one order', async () => {
    const talk = await newTalk(db());
    const texts = Array.from({ length: 6 }, (_, n) => `message ${n}`);
    await Promise.all(texts.map((text) => say(talk, text)));
    const order: string[] = [];
    for (let n = 0; n < texts.length; n += 1) {
      const work = await beginAnswer(db(), talk);
      expect(await claimOf(db(), talk)).toBeNull();
      order.push(work.description);
      await endAnswer(db(), work, 'ok', n + 1);
    }
    expect((await shown(talk)).filter((line) => line.startsWith('user')).map((line) => line.slice(6))).toEqual(order);
    expect(order.toSorted()).toEqual(texts);
  });

  test('that were dead and retried replace the earlier answer', async () => {
    const talk = await newTalk(db());
    const said = await say(talk, 'one');
    await failWork(db(), await beginAnswer(db(), talk), { code: 'x', message: 'y' }, null);
    await retryWork(db(), said.workItemId);
    await answer(db(), talk, 'now');
    expect(await shown(talk)).toEqual(['user: one', 'assistant: now']);
  });

  test('that are retried begin one after the other, too', async () => {
    const talk = await newTalk(db());
    const items = [];
    for (const text of ['one', 'two']) {
      items.push((await say(talk, text)).workItemId);
      await failWork(db(), await beginAnswer(db(), talk), { code: 'x', message: 'y' }, null);
    }
    for (const id of items) await retryWork(db(), id);
    const first = await beginAnswer(db(), talk);
    expect(first.description).toBe('one');
    expect(await claimOf(db(), talk)).toBeNull();
    await endAnswer(db(), first, 'now');
    expect(await claimOf(db(), talk)).toMatchObject({ description: 'two' });
  });

  test('are not retried after their message or their conversation was deleted', async () => {
    const talk = await newTalk(db());
    const one = await say(talk, 'one');
    await deleteMessage(db(), one.messageId);
    const two = await say(talk, 'two');
    await cancelWork(db(), two.workItemId);
    await expect(retryWork(db(), one.workItemId)).rejects.toMatchObject({
      code: 'work.state',
      message: expect.stringContaining('its message was deleted'),
    });
    await deleteConversation(db(), talk.id);
    await expect(retryWork(db(), two.workItemId)).rejects.toThrow('its conversation was deleted');
  });

  test('begin although the answer before ended while their message was being said', async () => {
    const talk = await newTalk(db());
    const one = await say(talk, 'one');
    await failWork(db(), await beginAnswer(db(), talk), { code: 'x', message: 'y' }, null);
    await say(talk, 'two');
    await answer(db(), talk, '2');
    await retryWork(db(), one.workItemId);
    const again = await beginAnswer(db(), talk);
    await recordText(db(), again, 1, 'now');
    let ended: Promise<unknown> = Promise.resolve();
    await db().transaction(async (tx) => {
      await sayInConversation(tx, talk.id, 'three');
      const [{ pid }] = (await tx.query<{ pid: number }>('select pg_backend_pid() as pid')) as [{ pid: number }];
      ended = completeWork(db(), again, { text: 'now' }, 'now');
      await eventually('the end of the answer waits', async () => {
        const sql = 'select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))';
        return (await db().query(sql, [pid]))[0] ?? null;
      });
    });
    await ended;
    expect(await claimOf(db(), talk)).toMatchObject({ description: 'three' });
  });
});

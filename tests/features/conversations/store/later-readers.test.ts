/** Promise: whoever joins a conversation later reads what was said, and the work from then on; whoever leaves reads what is theirs (functions/13_readers.sql). */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { removeParticipant, setParticipant } from '../../../../src/features/conversations/store/conversations.ts';
import { retryMessage } from '../../../../src/features/conversations/store/messages.ts';
import { readAudience } from '../../../../src/store/work/awareness.ts';
import { claimWork } from '../../../../src/store/work/work.ts';
import { beginAnswer, endAnswer, newTalk } from '../../../store/conversations/begun.ts';
import { claimable } from '../../../support/begun-focus.ts';
import { beginTurn } from '../../../support/begun-turn.ts';
import { ALICE, BOB, peopleDriver } from './people-driver.ts';

const { db, as, say, talkOf, answering, remember, recalled, digestOf } = peopleDriver();

describe('who joins later', () => {
  const readersOf = async (id: string) =>
    (await db().query<{ readers: string[] }>('select animus.readers_of($1) as readers', [id]))[0]!.readers;
  const sees = (person: string, id: string) =>
    as(person, async (tx) => {
      const [row] = await tx.query<{
        takes: boolean;
        shown: string | null;
        rows: string;
        item: string;
        events: unknown;
      }>(
        `select animus.takes_part($1) as takes, animus.shown_work($1) as shown, (select count(*) from animus.visible_work w where w.id = $1) as rows,
              (select count(*) from animus.visible_item w where w.id = $1) as item,
              animus.read_events($1) as events`,
        [id],
      );
      const answers = [
        row!.takes,
        row!.shown !== null,
        Number(row!.rows) === 1,
        Number(row!.item) === 1,
        row!.events !== null,
      ];
      expect(new Set(answers).size, JSON.stringify(answers)).toBe(1);
      return answers[0];
    });

  test('reads the contexts of the answers from then on, and these begin from the words', async () => {
    const talk = await talkOf(BOB);
    const first = await answering(BOB, talk, 'one');
    await endAnswer(db(), first, 'answered one');
    const second = await answering(BOB, talk, 'two');
    expect(second.continues).not.toBeNull();
    const queued = await say(BOB, talk, 'three');
    await as(BOB, (tx) => setParticipant(tx, talk.id, ALICE));
    await endAnswer(db(), second, 'answered two', 2);
    const third = await beginAnswer(db(), talk);
    expect(third.id).toBe(queued.workItemId);
    // Alice hears it, so it does not go on with what she may not see.
    expect(third.continues).toBeNull();
    await endAnswer(db(), third, 'answered three', 3);
    const fourth = await answering(ALICE, talk, 'four');
    expect(fourth.continues).toBeNull();
    await endAnswer(db(), fourth, 'answered four');
    const fifth = await answering(BOB, talk, 'five');
    expect(fifth.continues).not.toBeNull();
    for (const { id } of [first, second, third])
      expect([await sees(ALICE, id), await sees(BOB, id)]).toEqual([false, true]);
    for (const { id } of [fourth, fifth]) expect([await sees(ALICE, id), await sees(BOB, id)]).toEqual([true, true]);
    expect(await readersOf(third.id)).toEqual([BOB]);
    expect(await readAudience(db(), third.id)).toEqual([ALICE, BOB]);
    expect(await readersOf(fifth.id)).toEqual([ALICE, BOB]);
    await endAnswer(db(), fifth, 'answered five', 2);
    // Another answer to an old message is a new one, which she reads, and does not go on with what she does not.
    const [old] = await db().query<{ id: string }>(
      'select id::text as id from animus.chat_messages where work_item_id = $1 and role = $2',
      [second.id, 'user'],
    );
    await as(ALICE, (tx) => retryMessage(tx, old!.id));
    const other = await beginAnswer(db(), talk);
    expect(other.continues).toBeNull();
    expect(await sees(ALICE, other.id)).toBe(true);
  });

  test('does not get memories of before, and is not heard by an answer that is not hers to read; she may stop it', async () => {
    const talk = await as(BOB, async (tx) => newTalk(tx, { whileAnswering: 'tell' }));
    const first = await answering(BOB, talk, 'one');
    await remember(first, 'SECRET hue');
    await as(BOB, (tx) => setParticipant(tx, talk.id, ALICE));
    expect(await say(BOB, talk, 'a word of Bob')).toMatchObject({ told: true, workItemId: first.id });
    const hers = await say(ALICE, talk, 'a word of Alice');
    expect(hers.told).toBe(false);
    await as(ALICE, (tx) => tx.query('select animus.cancel_work($1)', [first.id]));
    expect(await as(ALICE, (tx) => tx.query('select animus.shown_work($1) as shown', [first.id]))).toEqual([
      { shown: null },
    ]);
    await db().query(`update animus.work_items set lease_expires_at = animus.now() - interval '1 s' where id = $1`, [
      first.id,
    ]);
    await claimWork(db(), randomUUID(), claimable('nothing'), 1, 60);
    const next = await beginAnswer(db(), talk);
    expect(next.id).toBe(hers.workItemId);
    expect(await recalled(next, 'hue')).toEqual([]);
  });

  test('hears the answer that is being given: from then on, it gets nothing that she may not see, and keeps its own', async () => {
    const diary = await talkOf(BOB);
    const secret = await answering(BOB, diary, 'SECRET words');
    await remember(secret, 'SECRET hue');
    const talk = await talkOf(BOB);
    const work = await answering(BOB, talk, 'what hue?');
    await remember(work, 'a hue of this task', { layer: 'task' });
    expect(await recalled(work, 'hue')).toEqual(['SECRET hue', 'a hue of this task']);
    expect(await digestOf(work)).toContain('SECRET words');
    await as(BOB, (tx) => setParticipant(tx, talk.id, ALICE));
    expect(await recalled(work, 'hue')).toEqual(['a hue of this task']);
    expect(await digestOf(work)).not.toContain('SECRET');
    expect(await sees(ALICE, work.id)).toBe(false);
  });

  test('who leaves reads only what is theirs; what is said then is not told into an answer of theirs', async () => {
    const talk = await as(BOB, async (tx) => newTalk(tx, { whileAnswering: 'tell' }));
    await as(BOB, (tx) => setParticipant(tx, talk.id, ALICE));
    const first = await answering(BOB, talk, 'one');
    await endAnswer(db(), first, 'answered');
    const hers = await answering(ALICE, talk, 'two');
    expect(await as(ALICE, (tx) => removeParticipant(tx, talk.id, ALICE))).toBe(true);
    expect([await sees(ALICE, first.id)]).toEqual([false]);
    expect(await readersOf(hers.id)).toEqual([ALICE, BOB]);
    expect((await say(BOB, talk, 'SECRET after she left')).told).toBe(false);
    await as(BOB, (tx) => setParticipant(tx, talk.id, ALICE));
    expect(await sees(ALICE, first.id)).toBe(false);
  });

  test('reads no work whose message, or what was told into it, or whose answer was deleted; nobody gets a part of it', async () => {
    const deleted = async (what: (messages: readonly { id: string; role: string; told: boolean }[]) => string) => {
      const talk = await as(BOB, async (tx) => newTalk(tx, { whileAnswering: 'tell' }));
      await as(BOB, (tx) => setParticipant(tx, talk.id, ALICE));
      const work = await answering(BOB, talk, 'a question');
      expect((await say(BOB, talk, 'one word more')).told).toBe(true);
      expect(await beginTurn(db(), work.key, 1, 0)).toBe('mail');
      await endAnswer(db(), work, 'an answer');
      expect([await sees(ALICE, work.id), await sees(BOB, work.id)]).toEqual([true, true]);
      const messages = await db().query<{ id: string; role: string; told: boolean }>(
        'select id::text as id, role, told from animus.chat_messages where work_item_id = $1',
        [work.id],
      );
      await as(BOB, (tx) => tx.query('select animus.delete_message($1)', [what(messages)]));
      return sees(ALICE, work.id);
    };
    expect(await deleted((all) => all.find(({ role, told }) => role === 'user' && !told)!.id)).toBe(false);
    expect(await deleted((all) => all.find(({ told }) => told)!.id)).toBe(false);
    expect(await deleted((all) => all.find(({ role }) => role === 'assistant')!.id)).toBe(false);
  });

  test('gets the files that came with earlier messages, with the words', async () => {
    const talk = await talkOf(BOB);
    const said = await say(BOB, talk, 'with a file');
    const file = await as(BOB, async (tx) => {
      const [row] = await tx.query<{ id: string }>(`select animus.attach_file($1, 'a.txt', 'abc'::bytea) as id`, [
        said.workItemId,
      ]);
      return row!.id;
    });
    await as(BOB, (tx) => setParticipant(tx, talk.id, ALICE));
    const read = (person: string) =>
      as(person, (tx) => tx.query('select name from animus.visible_artifacts where id = $1', [file]));
    expect(await read(ALICE)).toEqual([{ name: 'a.txt' }]);
    expect(await read(BOB)).toEqual([{ name: 'a.txt' }]);
    expect(await read('person:carol')).toEqual([]);
  });
});

/** Promise: what enters a context that several people may read is only what all of them may see (functions/13_readers.sql). */
import { beforeEach, describe, expect, test } from 'vitest';
import { setParticipant } from '../../../../src/features/conversations/store/conversations.ts';
import { sayInConversation } from '../../../../src/features/conversations/store/messages.ts';
import { unmergeMemory } from '../../../../src/features/memory/store.ts';
import { storeMemory, updateMemory } from '../../../../src/store/memory/memories.ts';
import { searchMemories } from '../../../../src/store/memory/search-memories.ts';
import { readChildren, spawnChildWork } from '../../../../src/store/transcript/children.ts';
import { appendLedger } from '../../../../src/store/transcript/ledger.ts';
import { completeWork } from '../../../../src/store/work/work.ts';
import { beginAnswer, endAnswer, newTalk, type Talk } from '../../../store/conversations/begun.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../../support/begun-focus.ts';
import { ALICE, BOB, peopleDriver, writerOf } from './people-driver.ts';

const { db, as, talkOf, answering, remember, recalled, digestOf } = peopleDriver();

describe('of a private conversation and private work', () => {
  let talk: Talk;
  let mine: FocusedWork;
  beforeEach(async () => {
    const diary = await talkOf(BOB, { path: `chats/diary${Math.random()}.chat` });
    mine = await answering(BOB, diary, 'SECRET words');
    await appendLedger(db(), mine.id, 'finding', 'SECRET finding', {
      leaseToken: mine.leaseToken,
      focusId: mine.key.focusId,
    });
    await appendLedger(db(), mine.id, 'plan', 'SECRET plan', {
      leaseToken: mine.leaseToken,
      focusId: mine.key.focusId,
    });
    talk = await talkOf(BOB);
    await as(BOB, (tx) => setParticipant(tx, talk.id, ALICE));
  });

  test.each([BOB, ALICE])('nothing is in the digest of an answer that both read, whoever asks: %s', async (person) => {
    const done = await beginFocus(db());
    await db().query(`update animus.work_items set submitted_by = $2, description = 'SECRET task' where id = $1`, [
      done.id,
      BOB,
    ]);
    await completeWork(db(), done, { text: 'x' }, 'SECRET summary');
    await recordCalls(db(), mine, 1, ['c1']);
    await db().query(`select animus.open_item_wait($1, $2, 'more', 'budget', '{"reason": "SECRET reason"}')`, [
      mine.key.focusId,
      mine.leaseToken,
    ]);
    const before = await answering(ALICE, talk, 'shared words');
    await appendLedger(db(), before.id, 'finding', 'shared finding', {
      leaseToken: before.leaseToken,
      focusId: before.key.focusId,
    });
    await endAnswer(db(), before, 'a shared answer');
    const work = await answering(person, talk, 'and now?');
    const digest = await digestOf(work);
    expect(digest).not.toContain('SECRET');
    for (const shared of ['shared words', 'shared finding', 'a shared answer']) expect(digest).toContain(shared);
    const alone = await answering(BOB, await talkOf(BOB), 'alone');
    for (const kind of ['words', 'finding', 'plan', 'task', 'summary', 'reason'])
      expect(await digestOf(alone)).toContain(`SECRET ${kind}`);
  });

  test('no memory of any layer is found; those of the conversation are, by both', async () => {
    const project = { layer: 'project', project: 'p' } as const;
    await remember(mine, 'SECRET colour of the world');
    await remember(mine, 'SECRET colour of the project', project);
    await remember(mine, 'SECRET colour of the task', { layer: 'task' });
    await as(BOB, (tx) => storeMemory(tx, { content: 'SECRET colour by hand' }, null));
    await as(ALICE, (tx) => storeMemory(tx, { content: 'SECRET colour of alice' }, null));
    await storeMemory(db(), { content: 'the colour of everybody', everybody: true }, null);
    const first = await answering(BOB, talk, 'what colour?');
    const id = await remember(first, 'our colour');
    await remember(first, 'our colour of the project', project);
    await remember(first, 'our colour of the task', { layer: 'task' });
    expect(await recalled(first)).toEqual(['our colour', 'our colour of the task', 'the colour of everybody']);
    await endAnswer(db(), first, 'x');
    const second = await answering(ALICE, talk, 'and?');
    expect(await recalled(second)).toEqual(['our colour', 'the colour of everybody']);
    const filters = {
      viewer: { workItemId: second.id },
      text: 'colour',
      embedding: null,
      limit: 50,
      filters: { project: 'p' },
    };
    expect((await searchMemories(db(), filters)).memories.map(({ content }) => content)).toEqual([
      'our colour of the project',
    ]);
    // Private work of Bob says something else in its place.
    await updateMemory(db(), id, { content: 'SECRET: another colour' }, writerOf(mine));
    expect(await recalled(second)).toEqual(['the colour of everybody']);
    await expect(updateMemory(db(), id, { content: 'x' }, writerOf(second))).rejects.toMatchObject({
      code: 'work.not_found',
    });
  });

  test('a memory that both see does not show what it is nearly alike to, nor the work of one of them that has told everybody', async () => {
    const work = await answering(BOB, talk, 'what colour?');
    const ours = await remember(work, 'our colour is red');
    const private_ = await remember(mine, 'SECRET colour is red');
    await db().query(
      'insert into animus.memory_links (memory_id, alike_id, linked_at) values (least($1::uuid, $2), greatest($1::uuid, $2), animus.now())',
      [ours, private_],
    );
    const { id: told } = await storeMemory(db(), { content: 'a colour for everybody', everybody: true }, null);
    await db().query('update animus.memory_sources set work_item_id = $2 where memory_id = $1', [told, mine.id]);
    const search = async ({ id }: FocusedWork) =>
      (await searchMemories(db(), { viewer: { workItemId: id }, text: 'colour', embedding: null, limit: 50 })).memories;
    const found = await search(work);
    expect(found.map(({ content }) => content)).toEqual(
      expect.arrayContaining(['a colour for everybody', 'our colour is red']),
    );
    expect(JSON.stringify(found)).not.toContain('SECRET');
    expect(JSON.stringify(found)).not.toContain(mine.id);
    const alone = await search(await answering(BOB, await talkOf(BOB), 'alone'));
    expect(alone.find(({ id }) => id === ours)!.alike).toMatchObject([{ content: 'SECRET colour is red' }]);
    expect(JSON.stringify(alone)).toContain(mine.id);
  });

  test('no file is read: not the conversation, and not by a name that is known', async () => {
    const [diary] = await db().query<{ path: string }>(
      `select f.path from animus.files f join animus.chat_messages m on m.file_id = f.id where m.work_item_id = $1`,
      [mine.id],
    );
    const work = await answering(BOB, talk, 'read it');
    const read = (id: string) => db().query('select text from animus.read_file_of_answer($1, $2)', [id, diary!.path]);
    expect(await read(work.id)).toEqual([]);
    const alone = await answering(BOB, await talkOf(BOB), 'read it');
    expect(await read(alone.id)).toMatchObject([{ text: expect.stringContaining('SECRET words') }]);
  });

  test('a child that merges into it gets neither its result nor its id, and it does not tell what was asked of it', async () => {
    const faculty = `f${Math.random().toString(36).slice(2)}`;
    const submit = (person: string, description: string) =>
      as(person, async (tx) => {
        const [row] = await tx.query<{ id: string }>(`select id from animus.submit_work($1, $2, dedup_key => 'k')`, [
          faculty,
          description,
        ]);
        return row!.id;
      });
    const id = await submit(BOB, 'SECRET task');
    const work = await answering(BOB, talk, 'have it done');
    await recordCalls(db(), work, 1, ['c1'], 'spawn');
    const child = {
      faculty,
      description: 'ours',
      params: {},
      skill: null,
      priority: null,
      dedupKey: 'k',
      detached: false,
      traceContext: null,
    };
    const merged = await spawnChildWork(db(), { ...work.key, leaseToken: work.leaseToken, callId: 'c1' }, child, {
      maxChildren: 5,
      maxDepth: 5,
    });
    expect(merged).toMatchObject({ state: 'merged', mergedInto: null });
    const focused = await beginFocus(db(), { id });
    await completeWork(db(), focused, { text: 'SECRET result' }, 'SECRET summary');
    expect(JSON.stringify(await readChildren(db(), work.id, null))).not.toContain('SECRET');
    // The other way round: private work merges into a child that both read.
    await db().query(`insert into animus.told_faculties (faculty) values ($1) on conflict do nothing`, [faculty]);
    const ours = await spawnChildWork(db(), { ...work.key, leaseToken: work.leaseToken, callId: 'c1' }, child, {
      maxChildren: 5,
      maxDepth: 5,
    });
    expect(ours.state).toBe('queued');
    await submit(BOB, 'SECRET duplicate');
    const again = await spawnChildWork(
      db(),
      { ...work.key, leaseToken: work.leaseToken, callId: 'c1' },
      { ...child, description: 'ours again' },
      { maxChildren: 5, maxDepth: 5 },
    );
    expect(again).toMatchObject({ state: 'merged', mergedInto: ours.id });
    // It is from whoever asked for the parent, not from the login of the daemon.
    const [parent] = await db().query<{ author: string }>(
      'select submitted_by as author from animus.work_items where id = $1',
      [work.id],
    );
    expect(await db().query('select text, author from animus.mailbox where work_item_id = $1', [ours.id])).toEqual([
      { text: 'ours again', ...parent },
    ]);
  });
});

describe('a memory that was merged', () => {
  const unmerge = (id: string) => as(BOB, (tx) => unmergeMemory(tx, id));

  test('is found again by both when that was undone, and not if one of them may not see all that it was made of', async () => {
    const talk = await talkOf(BOB);
    await as(BOB, (tx) => setParticipant(tx, talk.id, ALICE));
    const work = await answering(BOB, talk, 'what hue?');
    const [into, gone] = [await remember(work, 'a red hue'), await remember(work, 'a blue hue')];
    await updateMemory(db(), into, { merge: gone }, writerOf(work));
    expect(await recalled(work, 'hue')).toEqual(['a red hue']);
    await unmerge(gone);
    expect(await recalled(work, 'hue')).toEqual(['a blue hue', 'a red hue']);

    // Private work gives it another text; of what is merged then, all but the newest sources are forgotten.
    const mine = await answering(BOB, await talkOf(BOB), 'alone');
    await updateMemory(db(), gone, { content: 'SECRET hue' }, writerOf(mine));
    await updateMemory(db(), into, { merge: gone }, writerOf(mine));
    for (let n = 0; n < 60; n++) await remember(work, 'a red hue');
    await unmerge(gone);
    expect(await recalled(work, 'hue')).not.toContain('SECRET hue');
  });
});

describe('a login that sees all work', () => {
  test('shows none of it in a conversation with a person', async () => {
    const secret = await beginFocus(db());
    await appendLedger(db(), secret.id, 'finding', 'SECRET of the house', {
      leaseToken: secret.leaseToken,
      focusId: secret.key.focusId,
    });
    await remember(secret, 'SECRET shade of the house');
    const talk = await newTalk(db());
    await sayInConversation(db(), talk.id, 'alone');
    const alone = await beginAnswer(db(), talk);
    expect(await digestOf(alone)).toContain('SECRET of the house');
    expect(await recalled(alone, 'shade')).toEqual(['SECRET shade of the house']);
    await endAnswer(db(), alone, 'x');
    await setParticipant(db(), talk.id, ALICE);
    await sayInConversation(db(), talk.id, 'together');
    const together = await beginAnswer(db(), talk);
    expect(await digestOf(together)).not.toContain('SECRET');
    await remember(together, 'a shade of ours');
    expect(await recalled(together, 'shade')).toEqual(['a shade of ours']);
  });
});

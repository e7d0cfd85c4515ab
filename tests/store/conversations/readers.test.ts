/** Promise: what enters a context that several people may read is only what all of them may see, also after somebody joins or leaves (functions/13_readers.sql). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  removeParticipant,
  retryMessage,
  sayInConversation,
  setParticipant,
} from '../../../src/store/conversations/conversations.ts';
import { storeMemory, updateMemory } from '../../../src/store/memory/memories.ts';
import { searchMemories } from '../../../src/store/memory/search-memories.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { readChildren, spawnChildWork } from '../../../src/store/transcript/children.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { readAwareness, readReaders } from '../../../src/store/work/awareness.ts';
import { claimWork, completeWork } from '../../../src/store/work/work.ts';
import { beginFocus, claimable, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { beginAnswer, endAnswer, newTalk, type Talk } from './talk.ts';

const target = testDatabase();
const db = () => target.database;
const logins: string[] = [];
let gateway: Database;
beforeAll(async () => {
  gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins));
});
afterAll(async () => {
  await gateway.close();
  await dropLogins(logins);
});

const BOB = 'person:bob';
const ALICE = 'person:alice';

/** Acts for a person, as a gateway does. */
function as<Result>(person: string, act: (tx: Queryable) => Promise<Result>): Promise<Result> {
  return gateway.transaction(async (tx) => {
    await tx.query('select animus.act_as($1)', [person.replace('person:', '')]);
    return act(tx);
  });
}

const say = (person: string, talk: Talk, text: string) => as(person, (tx) => sayInConversation(tx, talk.id, text));
const talkOf = (person: string, more = {}) => as(person, (tx) => newTalk(tx, more));

/** The answer to a message, under way. */
async function answering(
  person: string,
  talk: Talk,
  text: string,
): Promise<FocusedWork & { readonly continues: string | null }> {
  await say(person, talk, text);
  return beginAnswer(db(), talk);
}

async function remember(work: FocusedWork, content: string, more = {}): Promise<string> {
  return (
    await storeMemory(db(), { content, ...more }, { ...work.key, workItemId: work.id, leaseToken: work.leaseToken })
  ).id;
}

/** The memories that a context finds, of those that have the word. */
async function recalled(work: FocusedWork, word = 'colour'): Promise<readonly string[]> {
  const search = { viewer: { workItemId: work.id }, text: word, embedding: null, limit: 50 };
  return (await searchMemories(db(), search)).memories.map(({ content }) => content).toSorted();
}

/** The digest of a context. */
async function digestOf(work: FocusedWork): Promise<string> {
  return JSON.stringify((await readAwareness(db(), await readReaders(db(), work.id), 24)).rows);
}

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
    await updateMemory(
      db(),
      id,
      { content: 'SECRET: another colour' },
      { ...mine.key, workItemId: mine.id, leaseToken: mine.leaseToken },
    );
    expect(await recalled(second)).toEqual(['the colour of everybody']);
    await expect(
      updateMemory(db(), id, { content: 'x' }, { ...second.key, workItemId: second.id, leaseToken: second.leaseToken }),
    ).rejects.toMatchObject({ code: 'work.not_found' });
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
    expect(await db().query('select text from animus.mailbox where work_item_id = $1', [ours.id])).toEqual([
      { text: 'ours again' },
    ]);
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

describe('who joins later', () => {
  const sees = (person: string, id: string) =>
    as(person, async (tx) => {
      const [row] = await tx.query<{ takes: boolean; shown: string | null; rows: string; events: unknown }>(
        `select animus.takes_part($1) as takes, animus.shown_work($1) as shown, (select count(*) from animus.visible_work w where w.id = $1) as rows,
              animus.read_events($1) as events`,
        [id],
      );
      const answers = [row!.takes, row!.shown !== null, Number(row!.rows) === 1, row!.events !== null];
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
    expect(third.continues).not.toBeNull();
    await endAnswer(db(), third, 'answered three', 3);
    const fourth = await answering(ALICE, talk, 'four');
    expect(fourth.continues).toBeNull();
    await endAnswer(db(), fourth, 'answered four');
    const fifth = await answering(BOB, talk, 'five');
    expect(fifth.continues).not.toBeNull();
    for (const { id } of [first, second, third])
      expect([await sees(ALICE, id), await sees(BOB, id)]).toEqual([false, true]);
    for (const { id } of [fourth, fifth]) expect([await sees(ALICE, id), await sees(BOB, id)]).toEqual([true, true]);
    expect(await readReaders(db(), third.id)).toEqual([BOB]);
    expect(await readReaders(db(), fifth.id)).toEqual([ALICE, BOB]);
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

  test('who leaves reads only what is theirs; what is said then is not told into an answer of theirs', async () => {
    const talk = await as(BOB, async (tx) => newTalk(tx, { whileAnswering: 'tell' }));
    await as(BOB, (tx) => setParticipant(tx, talk.id, ALICE));
    const first = await answering(BOB, talk, 'one');
    await endAnswer(db(), first, 'answered');
    const hers = await answering(ALICE, talk, 'two');
    expect(await as(ALICE, (tx) => removeParticipant(tx, talk.id, ALICE))).toBe(true);
    expect([await sees(ALICE, first.id)]).toEqual([false]);
    expect(await readReaders(db(), hers.id)).toEqual([ALICE, BOB]);
    expect((await say(BOB, talk, 'SECRET after she left')).told).toBe(false);
    await as(BOB, (tx) => setParticipant(tx, talk.id, ALICE));
    expect(await sees(ALICE, first.id)).toBe(false);
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

test('a daemon of an earlier version, which asks for a submitter, gets nothing of other work', async () => {
  expect(await db().query(`select kind from animus.awareness('person:bob'::text, 24)`)).toEqual([{ kind: 'now' }]);
});

/** Promise: what a message, an answer and a page cost does not grow with the conversation. */
import { beforeAll, expect, test } from 'vitest';
import { retryMessage, sayInConversation } from '../../../../src/features/conversations/store/messages.ts';
import {
  readConversation,
  readMessagesAfter,
  readMessagesBefore,
} from '../../../../src/features/conversations/store/read-messages.ts';
import { readAnswerStart, readNewestWords } from '../../../../src/store/conversations/answer-start.ts';
import { answer, type Talk } from '../../../store/conversations/begun.ts';
import { testDatabase } from '../../../support/database.ts';
import { longTalk, pagesOf } from './long-conversation.ts';

const target = testDatabase();
const db = () => target.database;
const [FEW, MANY] = [100, 2500];
let short: Talk;
let long: Talk;
beforeAll(async () => {
  short = await longTalk(db(), FEW);
  long = await longTalk(db(), MANY);
  for (const talk of [short, long]) await sayInConversation(db(), talk.id, 'the next one');
});

const newest = async ({ id }: Talk) =>
  (
    await db().query<{ id: string; item: string }>(
      'select m.id::text, m.work_item_id as item from animus.conversations c join animus.chat_messages m on m.id = c.head_id where c.file_id = $1',
      [id],
    )
  )[0]!;
const middle = async ({ id }: Talk) =>
  (
    await db().query<{ id: string }>(
      `select percentile_disc(0.5) within group (order by id)::text as id from animus.chat_messages where file_id = $1 and role = 'user'`,
      [id],
    )
  )[0]!.id;

test.each([
  ['saying something', async ({ id }: Talk) => `select * from animus.say_in_conversation('${id}', 'x')`],
  ['where an answer begins', async (talk: Talk) => `select animus.answer_start('${(await newest(talk)).item}')`],
  ['the words before it', async (talk: Talk) => `select * from animus.newest_words(${(await newest(talk)).id}, 8192)`],
  ['the end of an answer', async (talk: Talk) => `select animus.cancel_work('${(await newest(talk)).item}')`],
  ['the newest page', async ({ id }: Talk) => `select * from animus.conversation_newest('${id}', null, null, 50)`],
  [
    'a page of earlier ones',
    async (talk: Talk) => `select * from animus.conversation_newest('${talk.id}', ${await middle(talk)}, 0, 50)`,
  ],
  ['the first page', async ({ id }: Talk) => `select * from animus.conversation_page('${id}', -1, 0, 50)`],
  [
    'a page in the middle',
    async (talk: Talk) => `select * from animus.conversation_page('${talk.id}', ${await middle(talk)}, 0, 50)`,
  ],
  [
    'the files of an answer',
    async (talk: Talk) => `select * from animus.files_of_branch('${(await newest(talk)).item}')`,
  ],
  ['a retry of the newest', async (talk: Talk) => `select * from animus.retry_message(${(await newest(talk)).id})`],
  ['a deletion', async (talk: Talk) => `select animus.delete_message(${(await newest(talk)).id})`],
])('%s reads as much in a conversation of 5,000 messages as in a short one', async (what, sqlOf) => {
  const [few, many] = [await pagesOf(db(), await sqlOf(short)), await pagesOf(db(), await sqlOf(long))];
  if (process.env['ANIMUS_FIGURES']) process.stderr.write(`${what}: ${few} and ${many} pages\n`);
  // Indexes are a level higher.
  expect(many).toBeLessThan(few * 1.5 + 60);
});

test('no answer goes on with more than 200 others', async () => {
  for (const [answers, goesOn] of [
    [199, true],
    [200, false],
  ] as const) {
    const talk = await longTalk(db(), answers, 1000);
    const { workItemId } = await sayInConversation(db(), talk.id, 'the next one');
    const start = (await readAnswerStart(db(), workItemId))!;
    expect(start.before !== null).toBe(goesOn);
    expect(start.said).toMatchObject([{ text: 'the next one' }]);
  }
});

test('the words that an answer begins from are the newest, as many as fit', async () => {
  const start = (await readAnswerStart(db(), (await newest(long)).item))!;
  const words = await readNewestWords(db(), start.message, 8192);
  expect(words.length).toBeLessThan(80);
  expect(words.slice(-2).map(({ content }) => content.slice(0, 13))).toEqual(['question 2500', 'answer 2500 a']);
  expect(words[0]!.whole).toBe(false);
  const all = await readNewestWords(db(), start.message, 10_000_000);
  expect(all).toHaveLength(2 * MANY);
  expect(all[0]).toMatchObject({ content: 'question 1', whole: true });
});

test('pages in order give the whole branch, also where it was left', async () => {
  const talk = await longTalk(db(), 60);
  const messages = await readConversation(db(), talk.id);
  await retryMessage(db(), messages[80]!.id);
  await answer(db(), talk, 'again', 41);
  await sayInConversation(db(), talk.id, 'and then');
  const whole = (await readConversation(db(), talk.id)).map(({ content }) => content);
  expect(whole).toHaveLength(83);
  const paged: string[] = [];
  for (let place: readonly [string, string] | null = null; ; ) {
    const page: Awaited<ReturnType<typeof readMessagesAfter>> = await readMessagesAfter(db(), talk.id, place, 7);
    paged.push(...page.map(({ content }) => content));
    const last = page.at(-1);
    if (last === undefined) break;
    place = [last.at, last.id];
  }
  expect(paged).toEqual(whole);
  const back: string[] = [];
  for (let place: readonly [string, string] | null = null; ; ) {
    const page: Awaited<ReturnType<typeof readMessagesBefore>> = await readMessagesBefore(db(), talk.id, place, 7);
    back.push(...page.map(({ content }) => content));
    const last = page.at(-1);
    if (last === undefined) break;
    place = [last.at, last.id];
  }
  expect(back).toEqual(whole.toReversed());
});

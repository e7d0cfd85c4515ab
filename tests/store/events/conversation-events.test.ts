import { describe, expect, it } from 'vitest';
import { changeConversation } from '../../../src/features/conversations/store/conversations.ts';
import {
  deleteMessage,
  editMessage,
  importMessages,
  sayInConversation,
} from '../../../src/features/conversations/store/messages.ts';
import { CONVERSATION_BEGINNING } from '../../../src/store/events/conversation-position.ts';
import type { AnyEvent } from '../../../src/store/events/event.ts';
import { readConversationPage } from '../../../src/store/events/read-conversation-events.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { cancelWork, retryWork } from '../../../src/store/work/operate.ts';
import { testDatabase } from '../../support/database.ts';
import { answer, beginAnswer, endAnswer, newTalk, type Talk } from '../conversations/begun.ts';

const pg = testDatabase();
const db = pg.database;

describe('the events of a conversation', () => {
  it('are its messages, and between them the events of the answers', async () => {
    const talk = await newTalk(db);
    await sayInConversation(db, talk.id, 'hello');
    await answer(db, talk, 'hi');
    await changeConversation(db, talk.id, { title: 'Greetings' });
    expect(await gists(talk)).toEqual([
      'people postgres true',
      'said hello',
      'state queued',
      'state running',
      'turn',
      'text hi',
      'done completed',
      'answered hi completed',
      'conversation Greetings',
    ]);
  });

  it('say whether there are more marks than were read', async () => {
    const talk = await newTalk(db);
    await sayInConversation(db, talk.id, 'hello');
    await answer(db, talk, 'hi');
    const more = async (limit: number) =>
      db.query(`select animus.read_conversation_events($1, '{}', $2) -> 'more' as more`, [talk.id, limit]);
    expect([await more(2), await more(50)]).toEqual([[{ more: true }], [{ more: false }]]);
  });

  it('show a message that is told into an answer, and the turn that gets it', async () => {
    const talk = await newTalk(db, { whileAnswering: 'tell' });
    await sayInConversation(db, talk.id, 'hello');
    const work = await beginAnswer(db, talk);
    expect(await sayInConversation(db, talk.id, 'be brief')).toMatchObject({ workItemId: work.id, told: true });
    // Delivers it.
    await db.query('select animus.begin_turn($1, $2, 1)', [work.key.focusId, work.leaseToken]);
    await endAnswer(db, work, 'hi');
    expect((await gists(talk)).slice(2)).toEqual([
      'state queued',
      'state running',
      'message be brief',
      'said be brief told',
      'message ',
      'turn',
      'text hi',
      'done completed',
      'answered hi completed',
    ]);
  });

  it('show an edit, and the end of the answer that it replaces', async () => {
    const talk = await newTalk(db);
    const { messageId } = await sayInConversation(db, talk.id, 'hello');
    await editMessage(db, messageId, 'good day');
    const events = await readAll(talk);
    expect(events.slice(1).map(gist)).toEqual([
      'said hello',
      'state queued',
      'state cancelling',
      'done cancelled',
      'answered  cancelled',
      'said good day',
      'state queued',
    ]);
    expect(events.filter(({ type }) => type === 'said')[1]).toMatchObject({ replaces: messageId, after: null });
  });

  it('have both ends of an answer that an operator retries', async () => {
    const talk = await newTalk(db);
    const { workItemId } = await sayInConversation(db, talk.id, 'hello');
    await cancelWork(db, workItemId, 'not now');
    await retryWork(db, workItemId);
    await answer(db, talk, 'hi');
    const events = await readAll(talk);
    expect(events.slice(5).map(gist)).toEqual([
      'answered  cancelled',
      'retried',
      'state queued',
      'state running',
      'turn',
      'text hi',
      'done completed',
      'answered hi completed',
    ]);
    const [first, second] = events.filter(({ type }) => type === 'answered');
    expect(second).toMatchObject({ replaces: (first as { messageId: string }).messageId });
  });

  it('have nothing of what was deleted, except that it was there', async () => {
    const talk = await newTalk(db);
    const { messageId } = await sayInConversation(db, talk.id, 'a secret');
    await answer(db, talk, 'hush');
    const [answered] = (await readAll(talk)).filter(({ type }) => type === 'answered');
    await deleteMessage(db, messageId);
    await deleteMessage(db, (answered as { messageId: string }).messageId);
    const events = await readAll(talk);
    expect(events.slice(1).map(gist)).toEqual(['said ', 'answered  completed', 'deleted', 'deleted']);
    expect(JSON.stringify(events)).not.toMatch(/secret|hush/);
  });

  it('of an import of thousands of messages come page by page', async () => {
    const talk = await newTalk(db);
    const messages = Array.from({ length: 3000 }, (_, n) => ({ role: n % 2 ? 'assistant' : 'user', content: `${n}` }));
    await importMessages(db, talk.id, messages as Parameters<typeof importMessages>[2]);
    const said = (await readAll(talk)).slice(1);
    expect(said.map((event) => (event as { text: string }).text)).toEqual(messages.map(({ content }) => content));
  });
});

async function gists(talk: Talk): Promise<string[]> {
  return (await readAll(talk)).map(gist);
}

async function readAll({ id }: Talk, as: Queryable = db): Promise<AnyEvent[]> {
  const all: AnyEvent[] = [];
  for (let at = CONVERSATION_BEGINNING; ; ) {
    const page = await readConversationPage(as, id, at);
    all.push(...page!.events.map(({ event }) => event));
    at = page!.position;
    if (!page!.more) return all;
  }
}

function gist(event: AnyEvent): string {
  const fields = event as unknown as Record<string, string | null>;
  const words = ['actor', 'joined', 'title', 'text', 'endedAs', 'state'].filter((name) => name in fields);
  const told = 'told' in event && event.told ? ['told'] : [];
  return [event.type, ...words.map((name) => fields[name] ?? ''), ...told].join(' ');
}

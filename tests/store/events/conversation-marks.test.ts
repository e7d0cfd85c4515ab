import { describe, expect, it } from 'vitest';
import { editMessage, importMessages, sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { CONVERSATION_BEGINNING } from '../../../src/store/events/conversation-position.ts';
import type { AnyEvent } from '../../../src/store/events/event.ts';
import { readConversationPage } from '../../../src/store/events/read-conversation-events.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { retryWork } from '../../../src/store/work/operate.ts';
import { completeWork, failWork } from '../../../src/store/work/work.ts';
import { beginFocus, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { answer, newTalk } from '../conversations/begun.ts';

const pg = testDatabase();
const db = pg.database;

describe('the marks of conversations', () => {
  it('cost work outside of conversations nothing: no trigger of theirs runs, and no function', async () => {
    const other = await db.transaction(async (tx) => {
      await tx.query(`set local track_functions = 'all'`);
      const work = await beginFocus(tx);
      await recordCalls(tx, work, 1, ['a']);
      await failWork(tx, work, { code: 'x', message: 'broken' }, null, 'ledger');
      await retryWork(tx, work.id);
      await completeWork(tx, await beginFocus(tx), {}, null);
      return functionsUsed(tx, /chat|conversation|mark_message|mark_retry|events_position/);
    });
    expect(other).toEqual([]);
    // That is how a message is seen to run them.
    const talk = await newTalk(db);
    const said = await db.transaction(async (tx) => {
      await tx.query(`set local track_functions = 'all'`);
      await sayInConversation(tx, talk.id, 'hello');
      return functionsUsed(tx, /^(mark_conversation|mark_message)$/);
    });
    expect(said).toEqual(['mark_conversation', 'mark_message']);
  });
});

describe('messages that are older than the triggers', () => {
  it('get their marks when the triggers are created, so that their streams have everything', async () => {
    const talk = await newTalk(db);
    const { messageId } = await sayInConversation(db, talk.id, 'one');
    const work = await answer(db, talk, 'first');
    await editMessage(db, messageId, 'another');
    await answer(db, talk, 'second');
    const imported = await newTalk(db);
    await importMessages(db, imported.id, [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ] as Parameters<typeof importMessages>[2]);
    const before = [await gists(talk.id), await gists(imported.id)];
    await db.transaction(async (tx) => {
      await tx.query('delete from animus.chat_marks');
      await tx.query('select animus.mark_old_messages()');
    });
    expect([await gists(talk.id), await gists(imported.id)]).toEqual(before);
    expect(before[0]!.filter((gist) => gist.includes(work.id)).length).toBeGreaterThan(4);
  });
});

/** Names of the functions that the transaction has called. */
async function functionsUsed(tx: Queryable, names: RegExp): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    `select funcname as name from pg_stat_xact_user_functions where schemaname = 'animus' and calls > 0 order by 1`,
  );
  return rows.map(({ name }) => name).filter((name) => names.test(name));
}

async function gists(id: string): Promise<string[]> {
  const all: AnyEvent[] = [];
  for (let at = CONVERSATION_BEGINNING, more = true; more; ) {
    const page = await readConversationPage(db, id, at);
    all.push(...page!.events.map(({ event }) => event));
    ({ position: at, more } = page!);
  }
  return all.map(({ atMs: _at, ...event }) => JSON.stringify(event));
}

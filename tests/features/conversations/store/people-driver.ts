/** Steps of tests of who reads what in conversations: what people do, through a gateway, and what the contexts of answers get. */
import { afterAll, beforeAll } from 'vitest';
import { sayInConversation } from '../../../../src/features/conversations/store/messages.ts';
import { storeMemory } from '../../../../src/store/memory/memories.ts';
import { searchMemories } from '../../../../src/store/memory/search-memories.ts';
import { openPostgres } from '../../../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../../../src/store/sql/database.ts';
import { readAudience, readAwareness } from '../../../../src/store/work/awareness.ts';
import { beginAnswer, newTalk, type Talk } from '../../../store/conversations/begun.ts';
import type { FocusedWork } from '../../../support/begun-focus.ts';
import { testDatabase } from '../../../support/database.ts';
import { createLogin, dropLogins } from '../../../support/role-login.ts';

export const BOB = 'person:bob';
export const ALICE = 'person:alice';

/** A database for the file. Call it where hooks may be registered. */
export function peopleDriver() {
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

  /** Acts for a person, as a gateway does. */
  function as<Result>(person: string, act: (tx: Queryable) => Promise<Result>): Promise<Result> {
    return gateway.transaction(async (tx) => {
      await tx.query('select animus.act_as($1)', [person.replace('person:', '')]);
      return act(tx);
    });
  }
  const say = (person: string, talk: Talk, text: string) => as(person, (tx) => sayInConversation(tx, talk.id, text));
  return {
    db,
    as,
    say,
    talkOf: (person: string, more = {}) => as(person, (tx) => newTalk(tx, more)),
    /** The answer to a message, under way. */
    async answering(person: string, talk: Talk, text: string) {
      await say(person, talk, text);
      return beginAnswer(db(), talk);
    },
    /** The focus stores a memory; returns its id. */
    async remember(work: FocusedWork, content: string, more = {}): Promise<string> {
      return (await storeMemory(db(), { content, ...more }, writerOf(work))).id;
    },
    /** The memories that a context finds, of those that have the word. */
    async recalled(work: FocusedWork, word = 'colour'): Promise<readonly string[]> {
      const search = { viewer: { workItemId: work.id }, text: word, embedding: null, limit: 50 };
      return (await searchMemories(db(), search)).memories.map(({ content }) => content).toSorted();
    },
    /** The digest of a context. */
    async digestOf(work: FocusedWork): Promise<string> {
      return JSON.stringify((await readAwareness(db(), await readAudience(db(), work.id), 24)).rows);
    },
  };
}

/** The focus as a writer of memories. */
export function writerOf({ id, key, leaseToken }: FocusedWork) {
  return { ...key, workItemId: id, leaseToken };
}

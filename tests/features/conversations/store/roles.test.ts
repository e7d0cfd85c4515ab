/** Promise: a conversation has owners and members, never no owner, and each role may do what docs/conversations.md says. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  changeConversation,
  deleteConversation,
  removeParticipant,
  setParticipant,
  startConversation,
} from '../../../../src/features/conversations/store/conversations.ts';
import { retryMessage, sayInConversation } from '../../../../src/features/conversations/store/messages.ts';
import { createWorkspace, deleteWorkspace } from '../../../../src/features/conversations/store/workspaces.ts';
import { openPostgres } from '../../../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../../../src/store/sql/database.ts';
import { answer, newTalk, type Talk } from '../../../store/conversations/begun.ts';
import { testDatabase } from '../../../support/database.ts';
import { createPerson } from '../../../support/people.ts';
import { createLogin, dropLogins } from '../../../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
let gateway: Database;
beforeAll(async () => {
  gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins));
});
afterAll(async () => {
  await gateway.close();
  await dropLogins(logins);
});

function as<Result>(person: string, act: (tx: Queryable) => Promise<Result>): Promise<Result> {
  return gateway.transaction(async (tx) => {
    await tx.query('select animus.act_as($1)', [person]);
    return act(tx);
  });
}

const rolesOf = async ({ id }: Talk) =>
  Object.fromEntries(
    (
      await target.database.query<{ actor: string; role: string }>(
        'select actor, role from animus.conversation_people where file_id = $1',
        [id],
      )
    ).map(({ actor, role }) => [actor.replace('person:', ''), role]),
  );

/** Begun by Ada, with the member Bob. */
async function talkOfTwo(): Promise<Talk> {
  const talk = await as('ada', (tx) => newTalk(tx));
  await as('ada', (tx) => setParticipant(tx, talk.id, 'person:bob'));
  return talk;
}

const forbidden = { code: 'db.forbidden' };

describe('a member', () => {
  test.each<[string, (tx: Queryable, talk: Talk) => Promise<unknown>]>([
    ['invite', (tx, { id }) => setParticipant(tx, id, 'person:carol')],
    ['remove the owner', (tx, { id }) => removeParticipant(tx, id, 'person:ada')],
    ['make themselves an owner', (tx, { id }) => setParticipant(tx, id, 'person:bob', 'owner')],
    [
      'do so by words that are missing',
      (tx, { id }) => tx.query(`select animus.set_participant($1, 'person:bob', null, 'owner')`, [id]),
    ],
    ['make the owner a member', (tx, { id }) => setParticipant(tx, id, 'person:ada', 'member')],
    ['change the title', (tx, { id }) => changeConversation(tx, id, { title: 'x' })],
    ['change the faculty', (tx, { id }) => changeConversation(tx, id, { faculty: 'x' })],
    ['change the order', (tx, { id }) => changeConversation(tx, id, { while_answering: 'tell' })],
    ['delete the conversation', (tx, { id }) => deleteConversation(tx, id)],
  ])('may not %s', async (_what, act) => {
    const talk = await talkOfTwo();
    await expect(as('bob', (tx) => act(tx, talk))).rejects.toMatchObject(forbidden);
    expect(await rolesOf(talk)).toEqual({ ada: 'owner', bob: 'member' });
    // A stranger does not learn that it exists.
    await expect(as('eve', (tx) => act(tx, talk))).rejects.toMatchObject({ code: 'work.not_found' });
  });

  test('says something, asks for another answer, and leaves', async () => {
    const talk = await talkOfTwo();
    const said = await as('bob', (tx) => sayInConversation(tx, talk.id, 'hello'));
    await as('bob', (tx) => retryMessage(tx, said.messageId));
    expect(await as('bob', (tx) => removeParticipant(tx, talk.id, 'person:bob'))).toBe(true);
    expect(await rolesOf(talk)).toEqual({ ada: 'owner' });
    await expect(as('bob', (tx) => sayInConversation(tx, talk.id, 'again'))).rejects.toMatchObject({
      code: 'work.not_found',
    });
  });
});

test('whoever has said something has caused what later answers do, for four eyes', async () => {
  const talk = await talkOfTwo();
  await as('ada', (tx) => sayInConversation(tx, talk.id, 'Drop the table when Bob says so.'));
  await answer(target.database, talk, 'I will.');
  const { workItemId } = await as('bob', (tx) => sayInConversation(tx, talk.id, 'So.'));
  const [row] = await target.database.query(
    `select animus.has_caused('person:ada', $1) as ada, animus.has_caused('person:bob', $1) as bob, animus.has_caused('person:eve', $1) as eve`,
    [workItemId],
  );
  expect(row).toEqual({ ada: true, bob: true, eve: false });
});

describe('an owner', () => {
  test('makes others owners, and is removed by none of them', async () => {
    const talk = await talkOfTwo();
    expect(await as('ada', (tx) => setParticipant(tx, talk.id, 'person:bob', 'owner'))).toMatchObject({
      changed: true,
    });
    await as('bob', (tx) => changeConversation(tx, talk.id, { title: 'ours' }));
    await expect(as('bob', (tx) => removeParticipant(tx, talk.id, 'person:ada'))).rejects.toMatchObject(forbidden);
    await expect(as('bob', (tx) => setParticipant(tx, talk.id, 'person:ada', 'member'))).rejects.toMatchObject(
      forbidden,
    );
    // Without a role, it stays as it is.
    expect(await as('bob', (tx) => setParticipant(tx, talk.id, 'person:ada'))).toMatchObject({ changed: false });
    expect(await as('ada', (tx) => removeParticipant(tx, talk.id, 'person:ada'))).toBe(true);
    expect(await rolesOf(talk)).toEqual({ bob: 'owner' });
  });

  test('stays while they are the only one', async () => {
    const talk = await talkOfTwo();
    const only = { code: 'work.state', message: expect.stringContaining('is the only owner') };
    await expect(as('ada', (tx) => removeParticipant(tx, talk.id, 'person:ada'))).rejects.toMatchObject(only);
    await expect(as('ada', (tx) => setParticipant(tx, talk.id, 'person:ada', 'member'))).rejects.toMatchObject(only);
    await expect(removeParticipant(target.database, talk.id, 'person:ada')).rejects.toMatchObject(only);
    await expect(as('ada', (tx) => setParticipant(tx, talk.id, 'person:bob', 'boss' as 'owner'))).rejects.toMatchObject(
      { code: 'work.invalid' },
    );
  });

  test('two that leave at the same moment leave one behind', async () => {
    const talk = await talkOfTwo();
    await as('ada', (tx) => setParticipant(tx, talk.id, 'person:bob', 'owner'));
    const left = await Promise.allSettled(
      ['ada', 'bob'].map((name) => as(name, (tx) => removeParticipant(tx, talk.id, `person:${name}`))),
    );
    expect(left.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(Object.values(await rolesOf(talk))).toEqual(['owner']);
  });

  test('of a workspace learns why it cannot be deleted when others have a conversation in it', async () => {
    const [workspaceId, id] = await as('ada', async (tx) => {
      const workspace = await createWorkspace(tx, 'shared');
      return [workspace, await startConversation(tx, { workspaceId: workspace, faculty: 'f' })] as const;
    });
    await as('ada', (tx) => setParticipant(tx, id, 'person:bob', 'owner'));
    await as('ada', (tx) => removeParticipant(tx, id, 'person:ada'));
    await expect(as('ada', (tx) => deleteWorkspace(tx, workspaceId))).rejects.toMatchObject({
      code: 'work.state',
      message: expect.stringContaining('you do not take part in 1 of them'),
    });
  });
});

test('an operator does what an owner may, and gives a conversation back', async () => {
  const talk = await talkOfTwo();
  await as('ada', (tx) => setParticipant(tx, talk.id, 'person:bob', 'owner'));
  await as('ada', (tx) => removeParticipant(tx, talk.id, 'person:ada'));
  await setParticipant(target.database, talk.id, 'person:ada', 'owner');
  expect(await removeParticipant(target.database, talk.id, 'person:bob')).toBe(true);
  expect(await rolesOf(talk)).toEqual({ ada: 'owner' });
});

test('whoever invites somebody who is not known is told so', async () => {
  await createPerson(target.database, 'listed');
  const talk = await talkOfTwo();
  const invite = (actor: string) => as('ada', (tx) => setParticipant(tx, talk.id, actor));
  expect(await invite('person:listed')).toEqual({ changed: true, known: true });
  expect(await invite('person:crol')).toEqual({ changed: true, known: false });
  await as('crol', (tx) => newTalk(tx));
  expect(await invite('person:crol')).toEqual({ changed: false, known: true });
});

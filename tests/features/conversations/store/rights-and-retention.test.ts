/** Promise: only who takes part sees or changes a conversation; its work is kept with it, and goes with it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  deleteConversation,
  removeParticipant,
  setParticipant,
} from '../../../../src/features/conversations/store/conversations.ts';
import {
  deleteMessage,
  editMessage,
  importMessages,
  sayInConversation,
} from '../../../../src/features/conversations/store/messages.ts';
import { listConversations } from '../../../../src/features/conversations/store/read-conversations.ts';
import { readConversation } from '../../../../src/features/conversations/store/read-messages.ts';
import {
  createWorkspace,
  deleteWorkspace,
  readVirtualFile,
  renameWorkspace,
} from '../../../../src/features/conversations/store/workspaces.ts';
import { deletedConversations } from '../../../../src/store/conversations/deleted-conversations.ts';
import { openPostgres } from '../../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../../src/store/sql/database.ts';
import { packHistory, pruneConversations, pruneWork } from '../../../../src/store/work/retention.ts';
import { answer, beginAnswer, newTalk } from '../../../store/conversations/begun.ts';
import { itemOf } from '../../../support/begun-focus.ts';
import { testDatabase } from '../../../support/database.ts';
import { createLogin, dropLogins } from '../../../support/role-login.ts';

const target = testDatabase();
const db = () => target.database;

describe('who does not take part', () => {
  const logins: string[] = [];
  let ada: Database;
  let bob: Database;
  let bobIs: string;
  beforeAll(async () => {
    const urls = [0, 1].map(() => createLogin(target.connectionString, 'animus_submitter', logins));
    const [first, second] = await Promise.all(urls);
    ada = openPostgres(first!);
    bob = openPostgres(second!);
    bobIs = new URL(second!).username;
  });
  afterAll(async () => {
    await Promise.all([ada.close(), bob.close()]);
    await dropLogins(logins);
  });

  test('does not learn that a conversation exists', async () => {
    const talk = await newTalk(ada);
    const said = await sayInConversation(ada, talk.id, 'a secret');
    const nowhere = { code: 'work.not_found' };
    for (const attempt of [
      () => readConversation(bob, talk.id),
      () => readVirtualFile(bob, talk.id),
      () => sayInConversation(bob, talk.id, 'x'),
      () => editMessage(bob, said.messageId, 'x'),
      () => deleteMessage(bob, said.messageId),
      () => deleteConversation(bob, talk.id),
      () => setParticipant(bob, talk.id, bobIs),
      () => importMessages(bob, talk.id, []),
      () => readConversation(bob, randomUUID()),
    ])
      await expect(attempt()).rejects.toMatchObject(nowhere);
    expect(await listConversations(bob, 10)).toEqual([]);
    await expect(bob.query('select from animus.chat_messages')).rejects.toMatchObject({ code: 'db.forbidden' });
  });

  test('renames and deletes no workspace of others; its owner deletes it when it is empty', async () => {
    const id = await createWorkspace(ada, 'mine');
    await createWorkspace(ada, 'taken');
    for (const attempt of [
      () => renameWorkspace(bob, id, 'x'),
      () => deleteWorkspace(bob, id),
      () => deleteWorkspace(ada, randomUUID()),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'work.not_found' });
    await expect(renameWorkspace(ada, id, 'taken')).rejects.toMatchObject({ code: 'work.state' });
    await expect(renameWorkspace(ada, id, '')).rejects.toMatchObject({ code: 'work.invalid' });
    await renameWorkspace(ada, id, 'ours');
    expect(await createWorkspace(ada, 'ours')).toBe(id);
    const talk = await newTalk(ada, { workspaceId: id });
    await expect(deleteWorkspace(ada, id)).rejects.toMatchObject({
      code: 'work.state',
      message: expect.stringContaining('has conversations: 1'),
    });
    await deleteConversation(ada, talk.id);
    await expect(deleteWorkspace(ada, id)).rejects.toMatchObject({
      message: expect.stringContaining('not removed yet'),
    });
    await db().query(`update animus.files set deleted_at = deleted_at - interval '2 h' where id = $1`, [talk.id]);
    expect(await pruneConversations(db(), 365, 100)).toBe(1);
    await deleteWorkspace(ada, id);
    await expect(newTalk(ada, { workspaceId: id })).rejects.toMatchObject({ code: 'work.not_found' });
    expect(await createWorkspace(ada, 'ours')).not.toBe(id);
  });

  test('a message that is guessed looks like none, an answer, too', async () => {
    const talk = await newTalk(ada);
    const said = await sayInConversation(ada, talk.id, 'a secret');
    await answer(db(), talk, 'a secret, too');
    const [, answered] = await readConversation(ada, talk.id);
    for (const call of ['delete_message($1)', 'retry_message($1)', `edit_message($1, 'x')`]) {
      for (const id of [said.messageId, answered!.id, '999999999']) {
        await expect(bob.query(`select animus.${call}`, [id]), call).rejects.toMatchObject({
          code: 'work.not_found',
          message: expect.stringMatching(new RegExp(`no message ${id}$`)),
        });
      }
    }
  });

  test('sees all that was said when invited, and the work from then on; and may not change what others said', async () => {
    const talk = await newTalk(ada);
    const said = await sayInConversation(ada, talk.id, 'hello');
    const sees = async ({ workItemId }: { readonly workItemId: string }) =>
      (await bob.query<{ sees: boolean }>('select animus.takes_part($1) as sees', [workItemId]))[0]!.sees;
    expect(await sees(said)).toBe(false);
    await setParticipant(ada, talk.id, bobIs);
    expect(await sees(said)).toBe(false);
    expect(await sees(await sayInConversation(ada, talk.id, 'and now?'))).toBe(true);
    expect(await readConversation(bob, talk.id)).toMatchObject([{ content: 'hello' }, { content: 'and now?' }]);
    await sayInConversation(bob, talk.id, 'hello, too');
    await expect(editMessage(bob, said.messageId, 'x')).rejects.toMatchObject({ code: 'db.forbidden' });
    await expect(deleteMessage(bob, said.messageId)).rejects.toMatchObject({ code: 'db.forbidden' });
    await expect(deleteConversation(bob, talk.id)).rejects.toMatchObject({ code: 'db.forbidden' });
    await removeParticipant(ada, talk.id, bobIs);
    await expect(readConversation(bob, talk.id)).rejects.toMatchObject({ code: 'work.not_found' });
  });
});

test('whoever takes part stops an answer and what it has spawned, by name; others do not learn that it exists', async () => {
  const logins: string[] = [];
  const gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins));
  const talk = await newTalk(db());
  await setParticipant(db(), talk.id, 'person:carol');
  const cancelAs = (name: string, id: string) =>
    gateway.transaction(async (tx) => {
      await tx.query('select animus.act_as($1)', [name]);
      const [row] = await tx.query<{ state: string }>('select animus.cancel_work($1) as state', [id]);
      return row!.state;
    });
  const queued = await sayInConversation(db(), talk.id, 'hello');
  const running = await beginAnswer(db(), talk);
  const next = await sayInConversation(db(), talk.id, 'and?');
  const other = await sayInConversation(db(), (await newTalk(db())).id, 'elsewhere');
  await expect(cancelAs('dave', running.id)).rejects.toMatchObject({ code: 'work.not_found' });
  await expect(cancelAs('carol', other.workItemId)).rejects.toMatchObject({ code: 'work.not_found' });
  expect(await cancelAs('carol', next.workItemId)).toBe('cancelled');
  expect(await cancelAs('carol', running.id)).toBe('running');
  expect(await itemOf(db(), queued.workItemId)).toMatchObject({ cancel_reason: 'cancelled by person:carol' });
  const decided = await db().query(
    `select action, decided_by, note from animus.decisions where work_item_id = any ($1::uuid[]) order by id`,
    [[running.id, next.workItemId]],
  );
  expect(decided).toEqual(
    [0, 1].map(() => ({ action: 'cancel', decided_by: 'person:carol', note: 'cancelled by person:carol' })),
  );
  await gateway.close();
  await dropLogins(logins);
});

test('a person who takes part sees the answers and what they have spawned, through a gateway', async () => {
  const logins: string[] = [];
  const gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins));
  const talk = await newTalk(db());
  await setParticipant(db(), talk.id, 'person:carol');
  const { workItemId } = await sayInConversation(db(), talk.id, 'hello');
  const [child] = await db().query<{ id: string }>(
    `insert into animus.work_items (faculty, parent_id) values ('x', $1) returning id`,
    [workItemId],
  );
  const seenBy = (name: string) =>
    gateway.transaction(async (tx) => {
      await tx.query('select animus.act_as($1)', [name]);
      const rows = await tx.query<{ id: string }>(
        'select id from animus.visible_work where root_id = $1 order by depth',
        [workItemId],
      );
      return rows.map(({ id }) => id);
    });
  expect(await seenBy('carol')).toEqual([workItemId, child!.id]);
  expect(await seenBy('dave')).toEqual([]);
  await gateway.close();
  await dropLogins(logins);
});

describe('retention', () => {
  const age = (id: string, hours: number) =>
    db().query(
      `update animus.files set updated_at = updated_at - make_interval(hours => $2), deleted_at = deleted_at - make_interval(hours => $2) where id = $1`,
      [id, hours],
    );

  test('keeps the work of a conversation as long as the conversation, unpacked', async () => {
    const talk = await newTalk(db());
    const said = await sayInConversation(db(), talk.id, 'old');
    await answer(db(), talk, 'answered');
    await db().query(`update animus.work_items set resolved_at = resolved_at - interval '900 days' where id = $1`, [
      said.workItemId,
    ]);
    await packHistory(db(), 1, 100);
    await pruneWork(db(), 1, 100, null);
    expect(await itemOf(db(), said.workItemId)).toMatchObject({ state: 'completed' });
    await sayInConversation(db(), talk.id, 'new');
    const next = await beginAnswer(db(), talk);
    expect(next.continues).not.toBeNull();
    const [turns] = await db().query(
      'select count(*)::int as n from animus.turns t join animus.foci f on f.id = t.focus_id where f.work_item_id = $1',
      [said.workItemId],
    );
    expect(turns).toEqual({ n: 1 });
    // Open work keeps an old conversation.
    await age(talk.id, 24 * 900);
    expect(await pruneConversations(db(), 1, 100)).toBe(0);
    expect(await readConversation(db(), talk.id)).toHaveLength(3);
  });

  test('removes an old conversation with its work, after an hour in which daemons remove its files', async () => {
    const talk = await newTalk(db());
    const said = await sayInConversation(db(), talk.id, 'old');
    await answer(db(), talk, 'answered');
    await age(talk.id, 49);
    expect(await pruneConversations(db(), 2, 100)).toBe(0);
    await expect(readConversation(db(), talk.id)).rejects.toMatchObject({ code: 'work.not_found' });
    expect(await deletedConversations(db(), [talk.id])).toEqual([talk.id]);
    await age(talk.id, 2);
    expect(await pruneConversations(db(), 2, 100)).toBe(1);
    expect(await itemOf(db(), said.workItemId)).toBeUndefined();
    expect(await db().query('select from animus.chat_messages where file_id = $1', [talk.id])).toEqual([]);
  });

  test('a deleted conversation ends its work', async () => {
    const talk = await newTalk(db());
    const one = await sayInConversation(db(), talk.id, 'one');
    const two = await sayInConversation(db(), talk.id, 'two');
    await beginAnswer(db(), talk);
    await deleteConversation(db(), talk.id);
    expect(await itemOf(db(), one.workItemId)).toMatchObject({ cancel_reason: 'its conversation was deleted' });
    expect(await itemOf(db(), two.workItemId)).toMatchObject({ state: 'cancelled' });
    expect(await deletedConversations(db(), [talk.id])).toEqual([]);
  });
});

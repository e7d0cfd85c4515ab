/** Promise: what was deleted is read by nobody who takes part, also not through the work item that answered it. */
import { expect, test } from 'vitest';
import { answer } from '../../../store/conversations/begun.ts';
import { type TestApi, testApi } from '../../../support/api.ts';
import { readEventStream } from '../../../support/event-reader.ts';
import { createPerson } from '../../../support/people.ts';
import { chatOf, type HttpChat, messagesOf } from './conversation-driver.ts';

const { start, owner } = testApi();
const NONE = '01900000-0000-7000-8000-000000000000';

/** A conversation of alice and bob. */
async function ofTwo(api: TestApi, more: object = {}): Promise<HttpChat> {
  const chat = await chatOf(api, 'alice', more);
  await api.call('alice', 'POST', `${chat.path}/people`, { body: { actor: 'person:bob' } });
  return chat;
}

/** Everything that the events so far contain. */
async function streamOf(
  api: TestApi,
  person: string,
  path: string,
  last: string,
  after: string | null = null,
): Promise<string> {
  const headers = { authorization: `Bearer ${await api.tokenOf(person)}` };
  const reader = await readEventStream(`${api.url}/api/v1${path}`, { headers, after });
  if (reader.status === 200) await reader.until(({ type }) => type === last);
  await reader.leave();
  return `${reader.status} ${JSON.stringify(reader.events)}`;
}

const PARTS = ['', '/turns', '/context', '/messages', '/ledger', '/tool-calls', '/artifacts', '/foci', '/children'];

test.each(['question', 'answer'])('a deleted %s', async (what) => {
  const api = await start();
  await createPerson(owner(), 'rita', 'reader');
  const chat = await ofTwo(api);
  const { body: said } = await api.call('alice', 'POST', chat.path, { body: { content: 'SECRET question' } });
  await answer(owner(), chat, 'SECRET answer');
  const [question, answered] = await messagesOf(api, 'bob', chat);
  expect((await api.call('bob', 'GET', `/work/${said.work_item_id}`)).status).toBe(200);
  const gone = what === 'question' ? question.id : answered.id;
  expect((await api.call('alice', 'DELETE', `${chat.path}/messages/${gone}`)).body).toEqual({ deleted: true });

  for (const part of PARTS) {
    const hidden = await api.call('bob', 'GET', `/work/${said.work_item_id}${part}`);
    const absent = await api.call('bob', 'GET', `/work/${NONE}${part}`);
    expect([part, hidden.status, JSON.stringify(hidden.body).replaceAll(said.work_item_id, NONE)]).toEqual([
      part,
      404,
      JSON.stringify(absent.body),
    ]);
  }
  const words = `SECRET ${what}`;
  expect(await streamOf(api, 'bob', `/work/${said.work_item_id}/events`, 'done')).not.toContain(words);
  expect(await streamOf(api, 'bob', `${chat.path}/events`, 'deleted')).not.toContain(words);
  // Of the other one, nothing is lost.
  const other = what === 'question' ? 'SECRET answer' : 'SECRET question';
  expect(await streamOf(api, 'bob', `${chat.path}/events`, 'deleted')).toContain(other);
  for (const person of ['alice', 'rita']) {
    expect((await api.call(person, 'GET', `/work/${said.work_item_id}`)).status).toBe(200);
  }
});

test('a message that somebody else retried is still its author’s, who deletes it with its earlier versions', async () => {
  const api = await start();
  const chat = await ofTwo(api);
  const { body: first } = await api.call('alice', 'POST', chat.path, { body: { content: 'SECRET' } });
  await answer(owner(), chat, 'answer');
  const { body: edited } = await api.call('alice', 'POST', `${chat.path}/messages/${first.message_id}/edit`, {
    body: { content: 'SECRET, too' },
  });
  const { body: again } = await api.call('bob', 'POST', `${chat.path}/messages/${edited.message_id}/retry`);
  expect((await messagesOf(api, 'bob', chat)).map(({ id, author }) => [id, author])).toEqual([
    [again.message_id, 'person:alice'],
  ]);
  expect((await api.call('bob', 'DELETE', `${chat.path}/messages/${again.message_id}`)).status).toBe(403);
  expect((await api.call('alice', 'DELETE', `${chat.path}/messages/${again.message_id}`)).status).toBe(200);
  for (const { message_id: id } of [first, edited, again]) {
    expect((await api.call('bob', 'GET', `${chat.path}/messages/${id}`)).status).toBe(404);
  }
  expect(await streamOf(api, 'bob', `${chat.path}/events`, 'deleted')).not.toContain('SECRET');
});

test('a deleted answer, for an id that says that another mark began it', async () => {
  const api = await start();
  await createPerson(owner(), 'rita', 'reader');
  const chat = await ofTwo(api);
  await api.call('alice', 'POST', chat.path, { body: { content: 'question' } });
  await answer(owner(), chat, 'SECRET answer');
  const [, answered] = await messagesOf(api, 'bob', chat);
  await api.call('alice', 'DELETE', `${chat.path}/messages/${answered.id}`);
  const [mark] = await owner().query<{ seq: number }>(
    `select seq from animus.chat_marks where file_id = $1 and kind = 'answered'`,
    [chat.id],
  );
  const { seq } = mark!;
  const id = { q: seq, o: [[`{[${seq},${seq + 1})}`, { c: 1 }]], w: chat.id.slice(-8) };
  const forged = Buffer.from(JSON.stringify(id)).toString('base64url');
  expect(await streamOf(api, 'rita', `${chat.path}/events`, 'deleted', forged)).not.toContain('SECRET');
});

test('a deleted message that was told into an answer', async () => {
  const api = await start();
  const chat = await ofTwo(api, { while_answering: 'tell' });
  const { body: said } = await api.call('alice', 'POST', chat.path, { body: { content: 'question' } });
  const { body: told } = await api.call('bob', 'POST', chat.path, { body: { content: 'SECRET' } });
  expect(told.told).toBe(true);
  const mail = `/work/${said.work_item_id}/messages`;
  expect((await api.call('alice', 'GET', mail)).body).toMatchObject({ items: [{ text: 'SECRET' }] });
  await api.call('bob', 'DELETE', `${chat.path}/messages/${told.message_id}`);
  expect((await api.call('alice', 'GET', mail)).body.items).toMatchObject([{ text: '' }]);
  expect(await streamOf(api, 'alice', `/work/${said.work_item_id}/events`, 'message')).not.toContain('SECRET');
  expect((await api.call('bob', 'GET', mail)).status).toBe(404);
});

/** Conversations through the API: who says what, in which order, and what each reader gets. */
import { expect, test } from 'vitest';
import { beginAnswer, claimOf, endAnswer } from '../../../store/conversations/begun.ts';
import { testApi } from '../../../support/api.ts';
import { chatOf, type Json, messagesOf } from './conversation-driver.ts';

const { start, owner } = testApi();

test('a message and its work item are accepted together, and the answer is a message', async () => {
  const api = await start();
  const chat = await chatOf(api, 'alice', { title: 'Plans' });
  const key = { 'idempotency-key': 'k1' };
  const said = await api.call('alice', 'POST', chat.path, { body: { content: 'Why?' }, headers: key });
  expect(said).toMatchObject({ status: 202, body: { told: false } });
  const again = await api.call('alice', 'POST', chat.path, { body: { content: 'Why?' }, headers: key });
  expect(again.body).toEqual(said.body);
  expect((await api.call('alice', 'GET', `/work/${said.body.work_item_id}`)).body).toMatchObject({
    state: 'queued',
    description: 'Why?',
    source: 'chat',
  });
  await endAnswer(owner(), await beginAnswer(owner(), chat), 'Because.');
  expect(await messagesOf(api, 'alice', chat)).toMatchObject([
    { id: said.body.message_id, role: 'user', content: 'Why?', author: 'person:alice', state: 'completed' },
    { role: 'assistant', content: 'Because.', ended_as: 'completed', work_item_id: said.body.work_item_id },
  ]);
  expect((await api.call('alice', 'GET', chat.path)).body).toMatchObject({ title: 'Plans', people: ['person:alice'] });
});

test('reading from every cursor gives exactly the rest', async () => {
  const api = await start();
  const chat = await chatOf(api, 'alice');
  // The questions come first, so ids and the order of the conversation differ. The third one has no answer yet.
  for (const n of [1, 2, 3]) await api.call('alice', 'POST', chat.path, { body: { content: `question ${n}` } });
  for (const n of [1, 2]) await endAnswer(owner(), await beginAnswer(owner(), chat), `answer ${n}`, n);
  const all = await messagesOf(api, 'alice', chat);
  expect(all.map(({ content }) => content)).toEqual(['question 1', 'answer 1', 'question 2', 'answer 2', 'question 3']);
  const cursors: (string | null)[] = [null];
  while (cursors.length < all.length) {
    const after = cursors.at(-1) === null ? '' : `&after=${cursors.at(-1)}`;
    cursors.push((await api.call('alice', 'GET', `${chat.path}/messages?limit=1${after}`)).body.next);
  }
  for (const [n, after] of cursors.entries()) {
    for (const limit of [1, 2, 50]) {
      expect(await messagesOf(api, 'alice', chat, { limit, after })).toEqual(all.slice(n));
    }
  }
  // The message of a cursor may be deleted meanwhile.
  await api.call('alice', 'DELETE', `${chat.path}/messages/${all[1]!.id}`);
  expect(await messagesOf(api, 'alice', chat, { after: cursors[2]! })).toEqual(all.slice(2));
  const bad = await api.call('alice', 'GET', `${chat.path}/messages?after=x`);
  expect(bad).toMatchObject({ status: 400, body: { code: 'http.invalid' } });
});

test('the newest messages come first, and earlier ones follow, whatever happens meanwhile', async () => {
  const api = await start();
  const chat = await chatOf(api, 'alice');
  const say = (content: string) => api.call('alice', 'POST', chat.path, { body: { content } });
  for (const n of [1, 2, 3, 4]) {
    await say(`question ${n}`);
    await endAnswer(owner(), await beginAnswer(owner(), chat), `answer ${n}`, n);
  }
  const contents = (rows: Json[]) => rows.map(({ content }) => content);
  const newest = (limit: number, after: string | null = null) =>
    messagesOf(api, 'alice', chat, { limit, after, order: 'newest' });
  const all = await messagesOf(api, 'alice', chat);
  for (const limit of [1, 3, 50]) expect(await newest(limit)).toEqual(all.toReversed());
  const { body: page } = await api.call('alice', 'GET', `${chat.path}/messages?order=newest&limit=3`);
  expect(contents(page.items)).toEqual(['answer 4', 'question 4', 'answer 3']);
  // Something new, a deletion and an edit: the next page goes on where the first one ended, on the branch that is shown now.
  await say('question 5');
  await api.call('alice', 'DELETE', `${chat.path}/messages/${all[3]!.id}`);
  expect(contents(await newest(2, page.next))).toEqual(['question 3', 'question 2', 'answer 1', 'question 1']);
  await api.call('alice', 'POST', `${chat.path}/messages/${all[4]!.id}/edit`, { body: { content: 'edited 3' } });
  expect(contents(await newest(2))).toEqual(['edited 3', 'question 2', 'answer 1', 'question 1']);
  expect(contents(await newest(1, page.next))).toEqual(['question 2', 'answer 1', 'question 1']);
  // A cursor belongs to its order.
  const path = `${chat.path}/messages?after=${page.next}`;
  expect(await api.call('alice', 'GET', path)).toMatchObject({ status: 400, body: { code: 'http.invalid' } });
});

test('two people write at once: each message is there once, and answers come one after another', async () => {
  const api = await start();
  const chat = await chatOf(api, 'alice');
  await api.call('alice', 'POST', `${chat.path}/people`, { body: { actor: 'person:bob' } });
  const sent = await Promise.all(
    ['alice', 'bob', 'alice', 'bob', 'alice', 'bob'].map((person, n) =>
      api.call(person, 'POST', chat.path, { body: { content: `${person} ${n}` } }),
    ),
  );
  expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 202));
  expect(new Set(sent.map(({ body }) => body.work_item_id)).size).toBe(6);
  const order: string[] = [];
  for (const _ of sent) {
    const work = await beginAnswer(owner(), chat);
    expect(await claimOf(owner(), chat)).toBeNull();
    await endAnswer(owner(), work, 'ok', 1 + order.length);
    order.push(work.id);
  }
  const messages = await messagesOf(api, 'bob', chat);
  expect(messages.map(({ role }) => role)).toEqual(order.flatMap(() => ['user', 'assistant']));
  expect(messages.filter(({ role }) => role === 'user').map((message) => message.work_item_id)).toEqual(order);
  expect(messages.map(({ id }) => id).filter((id) => sent.some(({ body }) => body.message_id === id))).toHaveLength(6);
});

test.each(['queue', 'tell'] as const)('a message while the answer is being given: %s', async (order) => {
  const api = await start();
  const chat = await chatOf(api, 'alice', { while_answering: order });
  const first = await api.call('alice', 'POST', chat.path, { body: { content: 'Begin' } });
  await beginAnswer(owner(), chat);
  const attachments = [{ name: 'a.txt', content: 'YQ==' }];
  const withFile = await api.call('alice', 'POST', chat.path, { body: { content: 'With a file', attachments } });
  expect(withFile.status).toBe(order === 'tell' ? 409 : 202);
  const second = await api.call('alice', 'POST', chat.path, { body: { content: 'Wait' } });
  expect(second).toMatchObject({ status: 202, body: { told: order === 'tell' } });
  expect(second.body.work_item_id === first.body.work_item_id).toBe(order === 'tell');
  expect((await messagesOf(api, 'alice', chat)).map(({ content }) => content)).toEqual(
    order === 'tell' ? ['Begin', 'Wait'] : ['Begin', 'With a file', 'Wait'],
  );
  expect(await claimOf(owner(), chat)).toBeNull();
});

test('edits, retries and deletions change the branch that is shown', async () => {
  const api = await start();
  const chat = await chatOf(api, 'alice');
  const { body: first } = await api.call('alice', 'POST', chat.path, { body: { content: 'Why?' } });
  await endAnswer(owner(), await beginAnswer(owner(), chat), 'Because.');
  const at = (id: string) => `${chat.path}/messages/${id}`;
  const edited = await api.call('alice', 'POST', `${at(first.message_id)}/edit`, { body: { content: 'How?' } });
  expect(edited.status).toBe(202);
  expect(await messagesOf(api, 'alice', chat)).toMatchObject([{ content: 'How?', replaces: first.message_id }]);
  expect((await api.call('alice', 'GET', at(first.message_id))).body).toMatchObject({ content: 'Why?' });
  await endAnswer(owner(), await beginAnswer(owner(), chat), 'So.');
  const [, answer] = await messagesOf(api, 'alice', chat);
  const retried = await api.call('alice', 'POST', `${at(answer!.id)}/retry`, { body: {} });
  expect(retried.status).toBe(202);
  const shown = await messagesOf(api, 'alice', chat);
  expect(shown).toMatchObject([
    { id: retried.body.message_id, content: 'How?', work_item_id: retried.body.work_item_id },
  ]);
  const deleted = await api.call('alice', 'DELETE', at(retried.body.message_id));
  expect(deleted).toMatchObject({ status: 200, body: { deleted: true } });
  // The answer was cancelled before it said anything.
  expect(await messagesOf(api, 'alice', chat)).toEqual([]);
  expect((await api.call('alice', 'GET', at(retried.body.message_id))).status).toBe(404);
  expect((await api.call('alice', 'GET', `/work/${retried.body.work_item_id}`)).body.state).toBe('cancelled');
  const other = await chatOf(api, 'alice');
  const body = { content: 'x' };
  expect((await api.call('alice', 'POST', `${other.path}/messages/${first.message_id}/edit`, { body })).status).toBe(
    404,
  );
  // Nor is a conversation there in another workspace of the same person.
  const { body: elsewhere } = await api.call('alice', 'POST', '/workspaces', { body: { name: 'elsewhere' } });
  const astray = `/workspaces/${elsewhere.id}/chats/${chat.id}`;
  expect((await api.call('alice', 'POST', astray, { body })).status).toBe(404);
  expect((await api.call('alice', 'GET', astray)).status).toBe(404);
});

test('a conversation is changed and deleted; lists go on after each page', async () => {
  const api = await start();
  const chats: Json[] = [];
  for (const title of ['a', 'b', 'c']) chats.unshift(await chatOf(api, 'carol', { title }));
  const workspace = `/workspaces/${chats[0]!.workspace}`;
  const { body: page } = await api.call('carol', 'GET', `${workspace}/chats?limit=2`);
  const { body: rest } = await api.call('carol', 'GET', `${workspace}/chats?limit=2&after=${page.next}`);
  expect([...page.items, ...rest.items].map(({ id }: Json) => id)).toEqual(chats.map(({ id }) => id));
  expect(rest.next).toBeNull();
  const change = { title: 'z', faculty: 'writer', while_answering: 'tell' };
  expect((await api.call('carol', 'PATCH', chats[0]!.path, { body: change })).body).toMatchObject(change);
  expect((await api.call('carol', 'DELETE', chats[0]!.path)).body).toEqual({ id: chats[0]!.id });
  expect((await api.call('carol', 'GET', chats[0]!.path)).status).toBe(404);
  expect((await api.call('carol', 'GET', '/workspaces')).body.items).toMatchObject([{ id: chats[0]!.workspace }]);
  const taken = { path: 'chats/z.chat' };
  expect((await api.call('carol', 'POST', `${workspace}/chats`, { body: taken })).status).toBe(201);
  const refused = await api.call('carol', 'POST', `${workspace}/chats`, { body: taken });
  expect(refused).toMatchObject({ status: 409, body: { code: 'work.state' } });
});

/** A conversation of other people looks like none, on every route. */
import { expect, test } from 'vitest';
import { API_ROUTES } from '../../../../src/http/api/api-routes.ts';
import { testApi } from '../../../support/api.ts';
import { createPerson } from '../../../support/people.ts';
import { chatOf, type HttpChat, messagesOf } from './conversation-driver.ts';

const { start, owner } = testApi();
const NONE = '01900000-0000-7000-8000-000000000000';

/** Bodies that the routes accept. */
const BODIES: Readonly<Record<string, object>> = {
  sayInChat: { content: 'hello' },
  changeChat: { title: 'x' },
  inviteToChat: { actor: 'person:mallory' },
  editChatMessage: { content: 'x' },
  renameWorkspace: { name: 'x' },
  importChat: { content: '{"role": "user", "content": "x"}' },
};
const ROUTES = API_ROUTES.filter(({ path }) => path.startsWith('/workspaces/{id}'));
/** Its answer never ends for those who may read it: tests/http/streams/conversation-stream.test.ts. */
const endless = ({ id }: { readonly id: string }) => id === 'streamChatEvents';

function pathOf(path: string, { workspace, id }: Pick<HttpChat, 'workspace' | 'id'>, message: string): string {
  const filled = path
    .replace('{id}', workspace)
    .replace('{chat_id}', id)
    .replace('{message_id}', message)
    .replace('{actor}', 'person:alice');
  return path.endsWith('/content') ? `${filled}?path=chats/secret.chat` : filled;
}

test('on every route, it looks like none for a stranger; readers read; who was invited takes part', async () => {
  const api = await start();
  await createPerson(owner(), 'rita', 'reader');
  const chat = await chatOf(api, 'alice', { title: 'Secret', path: 'chats/secret.chat' });
  const { body: said } = await api.call('alice', 'POST', chat.path, { body: { content: 'Secret' } });
  const before = await messagesOf(api, 'alice', chat);
  const none = { workspace: NONE, id: NONE };
  const same = (body: unknown) => JSON.stringify(body).replaceAll(chat.id, NONE).replaceAll(chat.workspace, NONE);
  for (const { id, method, path } of ROUTES) {
    const given = method === 'POST' || method === 'PATCH' ? { body: BODIES[id] ?? {} } : {};
    const hidden = await api.call('mallory', method, pathOf(path, chat, said.message_id), given);
    const absent = await api.call('mallory', method, pathOf(path, none, said.message_id), given);
    expect([id, hidden.status, same(hidden.body)]).toEqual([id, 404, JSON.stringify(absent.body)]);
    if (endless({ id })) continue;
    const read = await api.call('rita', method, pathOf(path, chat, said.message_id), given);
    expect([id, read.status]).toEqual([
      id,
      method === 'GET' ? 200 : expect.toSatisfy((code) => code === 403 || code === 404),
    ]);
  }
  expect((await api.call('mallory', 'GET', '/workspaces')).body.items).toEqual([]);
  expect(await messagesOf(api, 'alice', chat)).toEqual(before);

  await api.call('alice', 'POST', `${chat.path}/people`, { body: { actor: 'person:bob' } });
  for (const { id, method, path } of ROUTES.filter((route) => route.method === 'GET' && !endless(route))) {
    expect([id, (await api.call('bob', method, pathOf(path, chat, said.message_id))).status]).toEqual([id, 200]);
  }
  const edited = await api.call('bob', 'POST', `${chat.path}/messages/${said.message_id}/edit`, {
    body: { content: 'x' },
  });
  expect(edited).toMatchObject({ status: 403, body: { code: 'http.forbidden' } });
  // In their own workspaces people begin conversations, not in those of others.
  const begun = (person: string) => api.call(person, 'POST', `/workspaces/${chat.workspace}/chats`, { body: {} });
  expect(await begun('bob')).toMatchObject({ status: 403, body: { code: 'http.forbidden' } });
  expect((await begun('carol')).status).toBe(404);
  const removed = await api.call('alice', 'DELETE', `${chat.path}/people/person:bob`);
  expect(removed.body).toEqual({ changed: true });
  expect((await api.call('bob', 'GET', chat.path)).status).toBe(404);
});

test('who takes part reads the events of the answers', async () => {
  const api = await start();
  const chat = await chatOf(api, 'alice');
  const { body: before } = await api.call('alice', 'POST', chat.path, { body: { content: 'Before?' } });
  const { body: other } = await api.call('alice', 'POST', '/work', { body: { faculty: 'engineer' } });
  await api.call('alice', 'POST', `${chat.path}/people`, { body: { actor: 'person:bob' } });
  const { body: said } = await api.call('alice', 'POST', chat.path, { body: { content: 'Why?' } });
  const statusOf = async (id: string) => {
    const leave = new AbortController();
    const headers = { authorization: `Bearer ${await api.tokenOf('bob')}` };
    const response = await fetch(`${api.url}/api/v1/work/${id}/events`, { headers, signal: leave.signal });
    leave.abort();
    return response.status;
  };
  expect(await statusOf(said.work_item_id)).toBe(200);
  for (const { id } of [{ id: before.work_item_id }, other]) expect(await statusOf(id)).toBe(404);
});

/** Every PUT, PATCH and DELETE of the API, sent twice with the same Idempotency-Key: one effect, and the answer of the first time. */
import { expect, test } from 'vitest';
import { API_ROUTES } from '../../../src/http/api/api-routes.ts';
import { chatOf } from '../../features/conversations/operations/conversation-driver.ts';
import { type SampleRequest, samplesOfParts } from '../../features/samples.ts';
import { type TestApi, testApi } from '../../support/api.ts';
import { createPerson } from '../../support/people.ts';
import { tableDigests } from './table-digests.ts';

const { start, owner } = testApi();

async function made(api: TestApi, path: string, body: object): Promise<string> {
  const answer = await api.call('olga', 'POST', path, { body });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  return answer.body.id as string;
}
const workspace = (api: TestApi) => made(api, '/workspaces', { name: crypto.randomUUID() });
const memory = (api: TestApi) => made(api, '/memories', { content: crypto.randomUUID() });
const LIMIT = { scope: 'faculty', subject: 'engineer', period: 'day', unit: 'usd' };

/** By the id of the route. */
const REQUESTS: Readonly<Record<string, SampleRequest>> = {
  ...(await samplesOfParts()).changes,
  revokeGrant: async () => {
    const [grant] = await owner().query<{ id: string }>(
      `insert into animus.grants (scope, faculty, tool, pattern, granted_by, created_at, expires_at)
       values ('faculty', 'engineer', 'bash', 'ls', 'olga', now(), now() + interval '1 day') returning id::text`,
    );
    return { path: `/grants/${grant!.id}` };
  },
  changeChat: async (api) => ({ path: (await chatOf(api, 'olga')).path, body: { title: 'Plans' } }),
  deleteChat: async (api) => ({ path: (await chatOf(api, 'olga')).path }),
  // Of oneself: the conversation is not there for the repetition.
  removeFromChat: async (api) => {
    const { path } = await chatOf(api, 'olga');
    await api.call('olga', 'POST', `${path}/people`, { body: { actor: 'person:otto', role: 'owner' } });
    return { path: `${path}/people/person:olga` };
  },
  deleteChatMessage: async (api) => {
    const { path } = await chatOf(api, 'olga');
    const { body } = await api.call('olga', 'POST', path, { body: { content: 'Why?' } });
    return { path: `${path}/messages/${body.message_id}` };
  },
  renameWorkspace: async (api) => ({
    path: `/workspaces/${await workspace(api)}`,
    body: { name: crypto.randomUUID() },
  }),
  deleteWorkspace: async (api) => ({ path: `/workspaces/${await workspace(api)}` }),
  updateMemory: async (api) => ({
    path: `/memories/${await memory(api)}`,
    body: { content: 'Deploys run on Mondays' },
  }),
  forgetMemory: async (api) => ({ path: `/memories/${await memory(api)}?reason=wrong` }),
  unmergeMemory: async (api) => {
    const [into, merge] = [await memory(api), await memory(api)];
    await api.call('olga', 'PATCH', `/memories/${into}`, { body: { merge } });
    return { path: `/memory-merges/${merge}` };
  },
  setBudget: () => ({ path: '/budgets', body: { ...LIMIT, amount: 5 } }),
  removeBudget: async (api) => {
    await api.call('olga', 'PUT', '/budgets', { body: { ...LIMIT, amount: 6 } });
    return { path: `/budgets?${new URLSearchParams(LIMIT).toString()}` };
  },
  resume: async (api) => {
    await api.call('olga', 'POST', '/pauses', { body: { faculty: 'engineer' } });
    return { path: '/pauses/engineer' };
  },
  setPerson: () => ({ path: '/people/dana', body: { role: 'reader' } }),
  revokeToken: async (api) => ({ path: `/tokens/${await made(api, '/tokens', {})}` }),
  removeWebhook: async (api) => ({ path: `/webhooks/${await made(api, '/webhooks', { url: 'https://example.com' })}` }),
};

/** A session that has ended can ask for nothing again. */
const changes = API_ROUTES.filter(
  (route) => route.method !== 'GET' && route.method !== 'POST' && !('session' in route && route.session),
);

test('every PUT, PATCH and DELETE keeps its answer for a repetition', () => {
  expect(changes.filter(({ kind }) => kind !== 'json').map(({ id }) => id)).toEqual([]);
  expect(Object.keys(REQUESTS).toSorted()).toEqual(changes.map(({ id }) => id).toSorted());
});

test('sent twice with the same key, it has its effect once and gets the first answer', {
  timeout: 60_000,
}, async () => {
  const api = await start();
  await createPerson(owner(), 'olga', 'operator');
  for (const { id, method } of changes) {
    const { path, body } = await REQUESTS[id]!(api);
    const given = { headers: { 'idempotency-key': `twice-${id}` }, ...(body !== undefined && { body }) };
    const before = await tableDigests(owner());
    const first = await api.call('olga', method, path, given);
    expect.soft([id, first.status, first.body]).toEqual([id, 200, first.body]);
    const after = await tableDigests(owner());
    expect.soft(after, `${id} has an effect`).not.toEqual(before);
    const second = await api.call('olga', method, path, given);
    const replayed = second.headers.get('idempotency-replayed');
    expect.soft([id, second.status, second.body, replayed]).toEqual([id, 200, first.body, 'true']);
    expect.soft(await tableDigests(owner()), `${id} has one effect`).toEqual(after);
  }
});

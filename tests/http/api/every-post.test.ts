/** Every POST of the API, sent twice with the same Idempotency-Key: one effect, one answer. */
import { expect, test } from 'vitest';
import { API_ROUTES } from '../../../src/http/api/api-routes.ts';
import { chatOf } from '../../features/conversations/operations/conversation-driver.ts';
import { type SampleRequest, samplesOfParts } from '../../features/samples.ts';
import { beginAnswer, endAnswer } from '../../store/conversations/begun.ts';
import { write } from '../../store/skills/written-skills.ts';
import { askedItem } from '../../store/work/asked-item.ts';
import { type TestApi, testApi } from '../../support/api.ts';
import { askOf } from '../../support/ask-of.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { registerCodeDaemon } from '../../support/code-daemon.ts';
import { createPerson } from '../../support/people.ts';
import { tableDigests } from './table-digests.ts';

const { start, owner } = testApi();

const submitted = async ({ call }: TestApi) =>
  (await call('olga', 'POST', '/work', { body: { faculty: 'engineer' } })).body.id as string;
const proposed = async () => {
  const name = `skill-${crypto.randomUUID().slice(0, 8)}`;
  await write(owner(), await beginFocus(owner()), name, { mode: 'ask' });
  return name;
};
const hooked = async ({ call }: TestApi) =>
  (await call('olga', 'POST', '/webhooks', { body: { url: 'https://example.com/hook' } })).body.id as string;
const said = async (api: TestApi) => {
  const chat = await chatOf(api, 'olga');
  const { body } = await api.call('olga', 'POST', chat.path, { body: { content: 'Why?' } });
  await endAnswer(owner(), await beginAnswer(owner(), chat), 'Because.');
  return `${chat.path}/messages/${body.message_id}`;
};

/** By the id of the route. */
const REQUESTS: Readonly<Record<string, SampleRequest>> = {
  ...(await samplesOfParts()).posts,
  submitWork: () => ({ path: '/work', body: { faculty: 'engineer' } }),
  cancelWork: async (api) => ({ path: `/work/${await submitted(api)}/cancel` }),
  retryWork: async (api) => {
    const id = await submitted(api);
    await api.call('olga', 'POST', `/work/${id}/cancel`);
    return { path: `/work/${id}/retry` };
  },
  sayWork: async (api) => ({ path: `/work/${await submitted(api)}/messages`, body: { text: 'hello' } }),
  cancelMatchingWork: async (api) => {
    await submitted(api);
    return { path: '/bulk/cancel', body: { state: 'queued', faculty: 'engineer' } };
  },
  retryMatchingWork: async (api) => {
    await api.call('olga', 'POST', `/work/${await submitted(api)}/cancel`);
    return { path: '/bulk/retry', body: { state: 'cancelled', faculty: 'engineer' } };
  },
  runCode: async () => {
    await registerCodeDaemon(owner());
    return { path: '/sandbox/executions', body: { code: 'return 1' } };
  },
  appendLedger: async (api) => ({
    path: `/work/${await submitted(api)}/ledger`,
    body: { type: 'note', content: 'x' },
  }),
  approve: async () => {
    const { id } = await askedItem(owner());
    return { path: `/work/${id}/approve`, body: { ask_id: await askOf(owner(), id, 'c1'), always: {} } };
  },
  deny: async () => {
    const { id } = await askedItem(owner());
    return { path: `/work/${id}/deny`, body: { ask_id: await askOf(owner(), id, 'c1') } };
  },
  answer: async () => {
    const { id } = await askedItem(owner());
    await owner().query(`update animus.waits set kind = 'human', subject = 'question' where work_item_id = $1`, [id]);
    return { path: `/work/${id}/answer`, body: { ask_id: await askOf(owner(), id, 'c1'), text: 'yes' } };
  },
  decideApprovals: async () => {
    const { id } = await askedItem(owner());
    return {
      path: '/approvals/decide',
      body: { ask_ids: [await askOf(owner(), id, 'c1')], action: 'deny', note: 'no' },
    };
  },
  pause: () => ({ path: '/pauses', body: { faculty: 'writer' } }),
  storeMemory: () => ({ path: '/memories', body: { content: 'Deploys run on Fridays' } }),
  approveSkill: async () => ({ path: `/skills/${await proposed()}/approve` }),
  denySkill: async () => ({ path: `/skills/${await proposed()}/deny` }),
  archiveSkill: async (api) => {
    const name = await proposed();
    await api.call('olga', 'POST', `/skills/${name}/approve`);
    return { path: `/skills/${name}/archive` };
  },
  rollBackSkill: async (api) => {
    const name = await proposed();
    await api.call('olga', 'POST', `/skills/${name}/approve`);
    await write(owner(), await beginFocus(owner()), name, { mode: 'ask', base: 1, text: 'Again.' });
    await api.call('olga', 'POST', `/skills/${name}/approve`);
    return { path: `/skills/${name}/rollback` };
  },
  createToken: () => ({ path: '/tokens' }),
  createWorkspace: () => ({ path: '/workspaces', body: { name: 'plans' } }),
  startChat: async (api) => ({ path: `/workspaces/${(await chatOf(api, 'olga')).workspace}/chats` }),
  inviteToChat: async (api) => ({
    path: `${(await chatOf(api, 'olga')).path}/people`,
    body: { actor: 'person:bob' },
  }),
  sayInChat: async (api) => ({ path: (await chatOf(api, 'olga')).path, body: { content: 'Why?' } }),
  editChatMessage: async (api) => ({ path: `${await said(api)}/edit`, body: { content: 'How?' } }),
  retryChatMessage: async (api) => ({ path: `${await said(api)}/retry` }),
  addWebhook: () => ({ path: '/webhooks', body: { url: 'https://example.com/hook' } }),
  rotateWebhook: async (api) => ({ path: `/webhooks/${await hooked(api)}/rotate` }),
  testWebhook: async (api) => ({ path: `/webhooks/${await hooked(api)}/test` }),
  retryDeliveries: async (api) => {
    const id = await hooked(api);
    await api.call('olga', 'POST', `/webhooks/${id}/test`);
    await owner().query(`update animus.webhook_deliveries set state = 'dead', ended_at = now() where webhook_id = $1`, [
      id,
    ]);
    return { path: `/webhooks/${id}/retry` };
  },
  importChat: async (api) => ({
    path: `/workspaces/${(await chatOf(api, 'olga')).workspace}/imports`,
    body: { content: '{"role": "user", "content": "x"}' },
  }),
};

/** A login is not repeated. */
const posts = API_ROUTES.filter((route) => route.method === 'POST' && !('session' in route && route.session));

test('every POST keeps its answer for a repetition', () => {
  expect(posts.filter(({ kind }) => kind !== 'json').map(({ id }) => id)).toEqual([]);
  expect(Object.keys(REQUESTS).toSorted()).toEqual(posts.map(({ id }) => id).toSorted());
});

test('sent twice with the same key, it has its effect once', { timeout: 60_000 }, async () => {
  const api = await start();
  await createPerson(owner(), 'olga', 'operator');
  for (const { id } of posts) {
    const { path, body } = await REQUESTS[id]!(api);
    const given = { headers: { 'idempotency-key': `twice-${id}` }, ...(body !== undefined && { body }) };
    const before = await tableDigests(owner());
    const first = await api.call('olga', 'POST', path, given);
    const accepted = expect.toSatisfy((status) => status >= 200 && status < 300);
    expect.soft([id, first.status, first.body]).toEqual([id, accepted, first.body]);
    const after = await tableDigests(owner());
    expect.soft(after, `${id} has an effect`).not.toEqual(before);
    const second = await api.call('olga', 'POST', path, given);
    const replayed = second.headers.get('idempotency-replayed');
    expect.soft([id, second.status, second.body, replayed]).toEqual([id, first.status, first.body, 'true']);
    expect.soft(await tableDigests(owner()), `${id} has one effect`).toEqual(after);
  }
});

test('a token that is shown once is kept encrypted, and only the token that made it gets it again', async () => {
  const api = await start();
  const headers = { 'idempotency-key': 'secret' };
  const { body } = await api.call('alice', 'POST', '/tokens', { headers, body: {} });
  expect(body.token).toMatch(/^animus_/);
  // No body and {} mean the same.
  expect((await api.call('alice', 'POST', '/tokens', { headers })).body).toEqual(body);
  const [kept] = await owner().query<{ answer: string }>(
    `select answer from animus.idempotency_keys where key = 'secret'`,
  );
  expect(kept!.answer).not.toContain('animus');
  expect(Buffer.from(kept!.answer, 'base64').toString('latin1')).not.toContain(body.token);
  const other = await api.call(null, 'POST', '/tokens', {
    headers: { ...headers, authorization: `Bearer ${body.token}` },
  });
  expect(other).toMatchObject({ status: 422, body: { code: 'http.key_reused' } });
});

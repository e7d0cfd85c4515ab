/** Promise: whichever way a person decides about a limit, the decision is one about all that waits for it, and says so; of the others, nobody sees more than may be seen. */
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { connectHttp, use } from '../../http/mcp/mcp-client.ts';
import { testApi } from '../../support/api.ts';
import { statesOf, workBehind } from '../../support/limited-work.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();

interface Entry {
  readonly work_item_id: string;
  readonly ask_id: string;
  readonly hash: string;
}

/** Two items, of alice and of bob, that wait for one limit of 0.5 USD; and the operator olga. */
async function waiting() {
  const api = await start();
  await createPerson(owner(), 'olga', 'operator');
  const { name, items } = await workBehind(owner(), 0.5, 0.48, [0.03, 0.05]);
  for (const [index, person] of ['alice', 'bob'].entries()) {
    await owner().query('update animus.work_items set submitted_by = $2 where id = $1', [
      items[index]!.id,
      `person:${person}`,
    ]);
  }
  onTestFinished(async () => {
    await owner().query('select animus.cancel_work(id) from animus.work_items where faculty = $1', [name]);
    await owner().query(`select animus.remove_budget('faculty', $1, 'day', 'usd')`, [name]);
  });
  return { api, name, items };
}

type Way = (api: Awaited<ReturnType<typeof start>>, entry: Entry) => Promise<{ readonly budget: unknown }>;

const WAYS: Readonly<Record<string, Way>> = {
  HTTP: async ({ call }, { work_item_id: id, ask_id, hash }) =>
    (await call('olga', 'POST', `/work/${id}/approve`, { body: { ask_id, hash, input: { amount: 1 } } })).body,
  MCP: async ({ url, tokenOf }, { work_item_id: id, ask_id, hash }) =>
    use(await connectHttp(url, await tokenOf('olga')), 'approve', { id, ask_id, hash, input: { amount: 1 } }),
  'the client': async ({ url, tokenOf }, { work_item_id: id, ask_id, hash }) => {
    const client = createClient({ baseUrl: url, token: await tokenOf('olga') });
    return client.approvals.approve(id, { ask_id, hash, input: { amount: 1 } });
  },
  // It has no input: the limit is raised by what it was.
  'the WebSocket': async ({ url, tokenOf }, { work_item_id: id, ask_id, hash }) => {
    const socket = createClient({ baseUrl: url, token: await tokenOf('olga') }).openSocket();
    onTestFinished(() => socket.close());
    return socket.approve(id, { ask_id, hash });
  },
};

test.each(Object.keys(WAYS))('an approval by %s lets all go on', async (way) => {
  const { api, name, items } = await waiting();
  const { body } = await api.call('olga', 'GET', '/approvals');
  const ids = items.map(({ id }) => id);
  expect(body.items).toMatchObject([{ subject: 'budget', items: 2, work_items: ids, request: { subject: name } }]);
  const { budget } = await WAYS[way]!(api, body.items[0]);
  expect(budget).toMatchObject({ scope: 'faculty', subject: name, amount: 1, items: 2, waiting: 0 });
  expect((budget as { readonly work_items: readonly string[] }).work_items).toEqual(ids.toSorted());
  expect(await statesOf(owner(), items)).toEqual(['queued', 'queued']);
  expect((await api.call('olga', 'GET', '/approvals')).body.items).toEqual([]);
});

test('a submitter sees its own of an entry, may not decide, and reads nothing of the others', async () => {
  const { api, items } = await waiting();
  const [hers, his] = items.map(({ id }) => id) as [string, string];
  const { body } = await api.call('alice', 'GET', '/approvals');
  expect(body.items).toMatchObject([{ work_item_id: hers, items: 1, work_items: [hers], request: { needed: 0.03 } }]);
  const said = [
    body,
    (await api.call('alice', 'GET', `/approvals?work_item_id=${his}`)).body,
    (await api.call('alice', 'GET', '/approvals/groups')).body,
    (await api.call('alice', 'GET', `/work/${hers}`)).body,
    (await api.call('alice', 'POST', `/work/${hers}/approve`, { body: { ask_id: body.items[0].ask_id } })).body,
  ];
  expect(JSON.stringify(said)).not.toContain(his);
  expect(said[1]).toEqual({ items: [] });
  expect(said[4]).toMatchObject({ code: 'http.forbidden' });
  expect(await statesOf(owner(), items)).toEqual(['waiting', 'waiting']);
});

test('a denial ends all, and an approval after it is refused with who has decided', async () => {
  const { api, items } = await waiting();
  const [entry] = (await api.call('olga', 'GET', '/approvals')).body.items as Entry[];
  const { work_item_id: id, ask_id } = entry!;
  const denied = await api.call('olga', 'POST', `/work/${id}/deny`, { body: { ask_id, note: 'enough' } });
  expect(denied.body).toMatchObject({ ask_id, budget: { amount: 0.5, items: 2, waiting: 0 } });
  for (const item of items) {
    const late = await api.call('olga', 'POST', `/work/${item.id}/approve`, { body: { ask_id } });
    expect(late).toMatchObject({ status: 409, body: { code: 'work.state' } });
    expect(JSON.stringify(late.body)).toMatch(/deny by person:olga .*the limit of 0\.5 USD/);
  }
});

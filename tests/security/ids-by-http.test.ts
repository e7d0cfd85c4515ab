/** The promise: by HTTP, too, nobody learns the id of work that he may not see: not in answers, events or webhooks. */
import { expect, test } from 'vitest';
import { API_ROUTES } from '../../src/http/api/api-routes.ts';
import { testApi } from '../support/api.ts';
import { createPerson } from '../support/people.ts';
import { newKey } from './submitters.ts';

const { start, owner } = testApi();

test('a merge into work of an operator below own work names it nowhere', async () => {
  const api = await start();
  await createPerson(owner(), 'olga', 'operator');
  const hook = await api.call('alice', 'POST', '/webhooks', {
    body: { url: 'https://example.com/', events: ['work.merged'] },
  });
  expect(hook.status).toBe(201);
  const key = newKey();
  const { id: parent } = (await api.call('alice', 'POST', '/work', { body: { faculty: 'parent' } })).body;
  const below = { faculty: 'http', dedup_key: key, parent_id: parent };
  const { id: target } = (await api.call('olga', 'POST', '/work', { body: below })).body;
  const said: string[] = [];
  const call = async (method: string, path: string, options = {}) => {
    const answer = await api.call('alice', method, path, options);
    said.push(JSON.stringify([...answer.headers, answer.body]));
    return answer;
  };
  const own = { faculty: 'http', dedup_key: key };
  const merged = await call('POST', '/work', { body: own });
  expect(merged).toMatchObject({ status: 201, body: { state: 'merged', merged_into: null } });
  const awaited = await call('POST', '/work', { body: own, headers: { prefer: 'wait=5' } });
  expect(awaited).toMatchObject({
    status: 200,
    body: { state: 'merged', merged_into: null, item: { state: 'merged', merged_into: null } },
  });
  const { id } = merged.body;
  expect(await call('GET', `/work/${id}`)).toMatchObject({ status: 200, body: { state: 'merged', merged_into: null } });
  const events = await call('GET', `/work/${id}/events`, { headers: { accept: 'text/event-stream' } });
  expect(String(events.body)).toContain('"merged_into":null');
  const paths = API_ROUTES.filter(({ method, path }) => method === 'GET' && /^\/work\/\{id\}(\/|$)/.test(path)).map(
    (r) => r.path,
  );
  expect(paths.length).toBeGreaterThan(10);
  for (const route of paths) {
    const path = route.replace('{turn}', '1').replace('{call_id}', 'call_1');
    await call('GET', path.replace('{id}', id));
    // The stream of open work does not end.
    if (!path.endsWith('/events')) await call('GET', path.replace('{id}', parent));
    const known = path.replace('{id}', target);
    expect([path, await api.call('alice', 'GET', known)]).toMatchObject([path, { status: 404 }]);
  }
  for (const path of ['/work', '/inbox', `/work?parent=${parent}`]) await call('GET', path);
  const deliveries = await owner().query<{ body: string }>('select body from animus.webhook_deliveries');
  expect(deliveries).toHaveLength(2);
  for (const { body } of deliveries) {
    expect(JSON.parse(body)).toMatchObject({ type: 'work.merged', data: { state: 'merged', merged_into: null } });
    said.push(body);
  }
  expect(said.join('\n')).not.toContain(target);
  // Who may see it is shown it.
  expect((await api.call('olga', 'GET', `/work/${id}`)).body.merged_into).toBe(target);
});

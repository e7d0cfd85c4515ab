import { expect, test } from 'vitest';
import { API_ROUTES } from '../../../src/http/api/api-routes.ts';
import { testApi } from '../../support/api.ts';
import { createPerson, createToken } from '../../support/people.ts';

const { start, owner } = testApi();
const NONE = '01900000-0000-7000-8000-000000000000';

/** A body that the route accepts, by its operation. */
const BODIES: Readonly<Record<string, object>> = {
  cancelWork: {},
  retryWork: {},
  sayWork: { text: 'hello' },
  appendLedger: { type: 'note', content: 'x' },
  approve: { ask_id: NONE },
  deny: { ask_id: NONE },
  answer: { ask_id: NONE, text: 'yes' },
};
const ofItems = API_ROUTES.filter(({ path }) => path.startsWith('/work/{id}'));

test.each(ofItems.map((route) => [route.id, route] as const))(
  '%s: the item of another person looks like none',
  async (id, { method, path }) => {
    const { call } = await start();
    const { body } = await call('alice', 'POST', '/work', {
      body: { faculty: 'engineer', params: { secret: 'plans' } },
    });
    const to = (item: string) =>
      call(
        'mallory',
        method,
        path.replace('{id}', item).replace('{turn}', '1').replace('{call_id}', 'call'),
        method === 'GET' ? {} : { body: BODIES[id] },
      );
    const [hidden, absent] = [await to(body.id), await to(NONE)];
    expect([403, 404]).toContain(absent.status);
    expect(hidden.status).toBe(absent.status);
    expect(JSON.stringify(hidden.body).replaceAll(body.id, NONE)).toBe(JSON.stringify(absent.body));
    expect((await call('alice', 'GET', `/work/${body.id}`)).body).toMatchObject({ state: 'queued' });
  },
);

test('files, memories, lists and children of others are not there', async () => {
  const { call } = await start();
  const attachments = [{ name: 'plans.txt', content: Buffer.from('secret').toString('base64') }];
  const { body: item } = await call('alice', 'POST', '/work', { body: { faculty: 'engineer', attachments } });
  const { body: files } = await call('alice', 'GET', `/work/${item.id}/artifacts`);
  expect(files.items).toHaveLength(1);
  const [file] = files.items;
  const hidden = await call('mallory', 'GET', `/artifacts/${file.id}`);
  const absent = await call('mallory', 'GET', `/artifacts/${NONE}`);
  expect([hidden.status, JSON.stringify(hidden.body).replaceAll(file.id, NONE)]).toEqual([
    404,
    JSON.stringify(absent.body),
  ]);

  const { body: memory } = await call('alice', 'POST', '/memories', { body: { content: 'The door code is 1234' } });
  expect((await call('mallory', 'GET', '/memories?query=door')).body.items).toEqual([]);
  for (const [method, path, given] of [
    ['PATCH', '/memories/ID', { body: { content: 'x' } }],
    ['DELETE', '/memories/ID?reason=x', {}],
    ['DELETE', '/memory-merges/ID', {}],
  ] as const) {
    const there = await call('mallory', method, path.replace('ID', memory.id), given);
    const none = await call('mallory', method, path.replace('ID', NONE), given);
    expect([there.status, JSON.stringify(there.body).replaceAll(memory.id, NONE)]).toEqual([
      404,
      JSON.stringify(none.body),
    ]);
  }
  expect((await call('mallory', 'GET', '/work')).body.items).toEqual([]);
  expect((await call('mallory', 'GET', '/approvals')).body.items).toEqual([]);
  for (const path of ['/schedules', '/pauses', '/status'])
    expect(await call('mallory', 'GET', path)).toMatchObject({ status: 403, body: { code: 'http.forbidden' } });
  const child = await call('mallory', 'POST', '/work', { body: { faculty: 'engineer', parent_id: item.id } });
  const orphan = await call('mallory', 'POST', '/work', { body: { faculty: 'engineer', parent_id: NONE } });
  expect([child.status, JSON.stringify(child.body).replaceAll(item.id, NONE)]).toEqual([
    404,
    JSON.stringify(orphan.body),
  ]);
});

test('a reader sees all work and changes nothing of it; an operator decides', async () => {
  const { call } = await start();
  await createPerson(owner(), 'rita', 'reader');
  await createPerson(owner(), 'olga', 'operator');
  const { body: item } = await call('alice', 'POST', '/work', { body: { faculty: 'engineer' } });
  expect((await call('rita', 'GET', `/work/${item.id}`)).body).toMatchObject({ submitted_by: 'person:alice' });
  for (const [id, { method, path }] of ofItems.map((route) => [route.id, route] as const)) {
    if (method === 'GET') continue;
    const refused = await call('rita', method, path.replace('{id}', item.id), { body: BODIES[id] });
    expect([id, refused.status]).toEqual([id, expect.toSatisfy((status) => status === 403 || status === 404)]);
    expect(JSON.stringify(refused.body)).not.toMatch(/postgres|animus_test|127\.0\.0\.1/);
  }
  expect((await call('olga', 'POST', `/work/${item.id}/cancel`, { body: { reason: 'no' } })).body.state).toBe(
    'cancelled',
  );
  expect(await call('olga', 'POST', `/work/${item.id}/retry`, { body: {} })).toMatchObject({
    status: 200,
    body: { id: item.id },
  });
  expect(await call('olga', 'POST', `/work/${item.id}/retry`, { body: {} })).toMatchObject({
    status: 409,
    body: { code: 'work.state' },
  });
});

/** A login takes its token from the body. */
const OF_TOKENS = API_ROUTES.filter((route) => !('session' in route && route.session === 'begins'));

test('a token does only what its scopes name', async () => {
  const { url } = await start();
  await createPerson(owner(), 'olga', 'operator');
  for (const other of ['read', 'work', 'decide'] as const) {
    const { secret } = await createToken(owner(), 'olga', { scopes: [other] });
    for (const { id, method, path, scope } of OF_TOKENS.filter((route) => route.scope !== other)) {
      const headers = { authorization: `Bearer ${secret}` };
      const response = await fetch(`${url}/api/v1${path.replaceAll(/\{\w+\}/g, 'x')}`, { method, headers });
      expect([id, other, response.status, await response.json()]).toMatchObject([
        id,
        other,
        403,
        {
          code: 'http.forbidden',
          detail: expect.stringMatching(`^this token does not have scope ${scope}; use a token`),
        },
      ]);
    }
  }
});

/** A token that was good is not looked up in front of an answer whose transaction looks at it; what is refused is refused as if it had been. */
import { expect, test } from 'vitest';
import { revokeToken, setPerson } from '../../../src/features/people/store.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { testApi } from '../../support/api.ts';
import { createPerson, createToken } from '../../support/people.ts';

const site = testApi();

/** The API, and what it asks the database, each as one round trip: the statements of one line were sent together. */
async function watched() {
  const asked: string[] = [];
  const name = (sql: string) => /\banimus\.(\w+)/.exec(sql)?.[1] ?? sql;
  const db: Database = {
    ...site.gateway(),
    query: (sql, params) => {
      asked.push(name(sql));
      return site.gateway().query(sql, params);
    },
    queryAfter: (opening, sql, params) => {
      asked.push(`${name(opening.sql)} ${name(sql)}`);
      return site.gateway().queryAfter(opening, sql, params);
    },
    transaction: (work, opening) => {
      asked.push(`transaction ${name(opening!.sql)}`);
      return site.gateway().transaction(work, opening);
    },
  };
  return { api: await site.start({ db }), asked: () => asked.splice(0) };
}

test('a GET and a submission are one round trip each once the token is known', async () => {
  const { api, asked } = await watched();
  const { id } = (await api.call('alice', 'POST', '/work', { body: { faculty: 'engineer' } })).body;
  expect(asked()).toEqual(['act_with_token', 'act_with_token submit_work']);
  await api.call('alice', 'POST', '/work', { body: { faculty: 'engineer' } });
  expect(asked()).toEqual(['act_with_token submit_work']);
  await api.call('alice', 'POST', `/work/${id}/cancel`);
  expect(asked()).toEqual(['transaction act_with_token']);
  expect((await api.call('alice', 'GET', `/work/${id}`)).status).toBe(200);
  expect(asked()).toEqual(['act_with_token visible_item']);
  expect((await api.call('alice', 'GET', '/me')).status).toBe(200);
  expect(asked()).toEqual(['act_with_token acting_role']);
});

test('a refused request is looked up: the token goes before all other errors', async () => {
  const { api, asked } = await watched();
  await createPerson(site.owner(), 'bob');
  const { id, secret } = await createToken(site.owner(), 'bob', { scopes: ['read'] });
  const call = (method: string, path: string) =>
    api.call(null, method, path, { headers: { authorization: `Bearer ${secret}` } });
  expect((await call('GET', '/me')).status).toBe(200);
  asked();
  expect((await call('GET', '/work?limit=none')).status).toBe(400);
  expect((await call('POST', '/work')).status).toBe(403);
  expect(asked()).toEqual(['act_with_token', 'act_with_token']);
  await revokeToken(site.owner(), id);
  for (const [method, path] of [
    ['GET', '/work?limit=none'],
    ['POST', '/work'],
    ['GET', '/me'],
  ] as const) {
    expect(await call(method, path)).toMatchObject({
      status: 401,
      body: { code: 'http.unauthorized', detail: expect.stringContaining('the token has been revoked') },
    });
  }
});

test('a role that changes is seen by the next request', async () => {
  const { api } = await watched();
  await createPerson(site.owner(), 'carol', 'reader');
  const role = async () => (await api.call('carol', 'GET', '/me')).body.role;
  expect(await role()).toBe('reader');
  for (const next of ['operator', 'submitter'] as const) {
    await setPerson(site.owner(), 'carol', { role: next, disabled: false });
    expect(await role()).toBe(next);
  }
});

import { expect, test } from 'vitest';
import { type TestApi, testApi } from '../../support/api.ts';
import { createPerson, createToken } from '../../support/people.ts';

const { start, owner } = testApi();
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const me = (api: TestApi, token: string) => api.call(null, 'GET', '/me', as(token));

test('a person makes, lists and revokes tokens of its own, with at most its rights', async () => {
  const api = await start();
  const expiresAt = new Date(Date.now() + 3_600_000);
  const scopes = ['read', 'work'] as const;
  const { id, secret } = await createToken(owner(), 'alice', { scopes, expiresAt });
  const make = (body: object) => api.call(null, 'POST', '/tokens', { ...as(secret), body });
  const made = await make({ label: 'phone', scopes: ['read'] });
  expect(made).toMatchObject({ status: 201, body: { person: 'alice', token: expect.stringMatching(/^animus_/) } });
  expect((await me(api, made.body.token)).body).toEqual({
    person: 'alice',
    actor: 'person:alice',
    role: 'submitter',
    scopes: ['read'],
    token_id: made.body.id,
    expires_at: expiresAt.toISOString(),
  });
  for (const [body, detail] of [
    [{ scopes: ['decide'] }, 'more scopes'],
    [{ role: 'reader' }, 'of role submitter cannot'],
    [{ expires_at: new Date(Date.now() + 7_200_000).toISOString() }, 'expires later'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expired already'],
  ] as const) {
    expect(await make(body)).toMatchObject({ status: 422, body: { detail: expect.stringContaining(detail) } });
  }
  expect(await make({ person: 'bob' })).toMatchObject({ status: 403 });
  // A token without the scope work makes none.
  expect(await api.call(null, 'POST', '/tokens', as(made.body.token))).toMatchObject({ status: 403 });
  const listed = (await api.call(null, 'GET', '/tokens', as(secret))).body.items;
  expect(listed).toMatchObject([{ id: made.body.id, label: 'phone', created_with: id, state: 'valid' }, { id }]);
  expect(JSON.stringify(listed)).not.toMatch(/hash|animus_/);
  expect((await api.call(null, 'DELETE', `/tokens/${made.body.id}`, as(secret))).body).toEqual({
    id: made.body.id,
    person: 'alice',
  });
  expect(await me(api, made.body.token)).toMatchObject({ status: 401 });
  const [decision] = await owner().query(
    `select decided_by, token_id from animus.decisions where target = 'person alice' and action = 'revoke' order by id desc limit 1`,
  );
  expect(decision).toEqual({ decided_by: 'person:alice', token_id: id });
});

test('a token is revoked with the token that made it, and so on', async () => {
  const api = await start();
  const { id, secret } = await createToken(owner(), 'carol');
  const child = (await api.call(null, 'POST', '/tokens', as(secret))).body.token;
  const grandchild = (await api.call(null, 'POST', '/tokens', as(child))).body.token;
  expect((await me(api, grandchild)).status).toBe(200);
  await owner().query('select animus.revoke_token($1)', [id]);
  for (const token of [secret, child, grandchild]) expect((await me(api, token)).status).toBe(401);
  const [revoked] = await owner().query(
    `select count(*)::int as n from animus.decisions where target = 'person carol' and action = 'revoke'`,
  );
  expect(revoked).toEqual({ n: 3 });
});

test('the tokens of others are not there; an operator manages those of people who are not operators', async () => {
  const api = await start();
  await createPerson(owner(), 'olga', 'operator');
  await createPerson(owner(), 'otto', 'operator');
  const { id: ottos } = await createToken(owner(), 'otto');
  const { id: alices } = await createToken(owner(), 'alice');
  const none = '01900000-0000-7000-8000-000000000000';
  const hidden = await api.call('mallory', 'DELETE', `/tokens/${alices}`);
  const absent = await api.call('mallory', 'DELETE', `/tokens/${none}`);
  expect([hidden.status, JSON.stringify(hidden.body).replaceAll(alices, none)]).toEqual([
    404,
    JSON.stringify(absent.body),
  ]);
  expect((await api.call('mallory', 'GET', '/tokens?person=alice&all=true')).body.items).toEqual([]);
  expect((await api.call('olga', 'GET', '/tokens?person=alice')).body.items).toContainEqual(
    expect.objectContaining({ id: alices }),
  );
  expect((await api.call('olga', 'DELETE', `/tokens/${alices}`)).body.person).toBe('alice');
  expect((await api.call('olga', 'DELETE', `/tokens/${ottos}`)).status).toBe(403);
  expect((await api.call('olga', 'POST', '/tokens', { body: { person: 'otto' } })).status).toBe(403);
  const { body } = await api.call('olga', 'POST', '/tokens', { body: { person: 'nora', role: 'reader' } });
  expect((await me(api, body.token)).body).toMatchObject({ person: 'nora', role: 'reader' });
  // Without the scope, an operator manages nobody else.
  const { secret } = await createToken(owner(), 'olga', { scopes: ['read', 'work'] });
  expect(await api.call(null, 'POST', '/tokens', { ...as(secret), body: { person: 'nora' } })).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining('scope decide') },
  });
  const { secret: noras } = await createToken(owner(), 'nora');
  const norasId = (await me(api, noras)).body.token_id;
  expect((await api.call(null, 'DELETE', `/tokens/${norasId}`, as(secret))).status).toBe(403);
  expect((await me(api, noras)).status).toBe(200);
});

test('an operator lists, adds, changes and disables people who are not operators', async () => {
  const api = await start();
  await createPerson(owner(), 'olga', 'operator');
  await createPerson(owner(), 'otto', 'operator');
  const set = (name: string, body: object) => api.call('olga', 'PUT', `/people/${encodeURIComponent(name)}`, { body });
  expect((await set('dana', { role: 'reader' })).body).toMatchObject({ name: 'dana', role: 'reader' });
  expect((await api.call('olga', 'GET', '/people')).body.items).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'dana', role: 'reader', created_by: 'person:olga' })]),
  );
  expect((await api.call('dana', 'GET', '/work')).status).toBe(200);
  expect((await set('dana', { disabled: true })).body.disabled_at).not.toBe(null);
  expect((await api.call('dana', 'GET', '/work')).status).toBe(401);
  expect((await set('dana', { disabled: false })).body.disabled_at).toBe(null);
  for (const disabled of [true, false]) {
    expect(await set('dnaa', { disabled })).toMatchObject({
      status: 404,
      body: {
        detail: 'nobody is listed as dnaa (did you mean dana?); to add them: animus person set dnaa --role submitter',
      },
    });
  }
  expect((await api.call('dana', 'PUT', '/people/dnaa', { body: { disabled: true } })).status).toBe(403);
  expect((await owner().query(`select from animus.people where name = 'dnaa'`)).length).toBe(0);
  expect((await set('dora', { role: 'reader', disabled: true })).body.disabled_at).not.toBe(null);
  expect((await set('otto', { disabled: true })).status).toBe(403);
  expect((await set('dana', { role: 'operator' })).status).toBe(400);
  expect((await set('a b', {})).status).toBe(400);
  expect((await api.call('dana', 'GET', '/people')).status).toBe(403);
  expect((await api.call('dana', 'PUT', '/people/alice', { body: { role: 'reader' } })).status).toBe(403);
});

import { createHmac } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { Secret } from '../../../src/core/secrets/secret.ts';
import { revokeToken, setPerson } from '../../../src/features/people/store.ts';
import { webhookKeyMark } from '../../../src/features/webhooks/store.ts';
import { API_ROUTES } from '../../../src/http/api/api-routes.ts';
import { testApi } from '../../support/api.ts';
import { configOf } from '../../support/config-of.ts';
import { createPerson, createToken } from '../../support/people.ts';

const { start, owner } = testApi();
const KEY = new Secret('k'.repeat(64));
const CONFIG = configOf({ ANIMUS_WEBHOOK_KEY: KEY.reveal() });
const NONE = '01900000-0000-7000-8000-000000000000';
const URL = 'https://example.com/hook';
const routes = API_ROUTES.filter(({ tag }) => tag === 'webhooks');

beforeEach(async () => {
  await owner().query('delete from animus.webhook_deliveries');
  await owner().query('delete from animus.webhooks');
});

test('a webhook is for up to 100 faculties', async () => {
  const { call } = await start({ config: CONFIG });
  const names = Array.from({ length: 101 }, (_, n) => `f${n}`);
  const add = async (faculties: readonly string[]) =>
    (await call('alice', 'POST', '/webhooks', { body: { url: URL, faculties } })).status;
  expect([await add(names.slice(1)), await add(names)]).toEqual([201, 400]);
});

test('a person adds, lists, shows, tests, rotates and removes its own webhooks', async () => {
  const { call } = await start({ config: CONFIG });
  const added = await call('alice', 'POST', '/webhooks', { body: { url: URL, label: 'pager', faculties: ['f'] } });
  expect(added).toMatchObject({
    status: 201,
    body: {
      url: URL,
      events: ['work.completed', 'work.dead', 'work.cancelled', 'approval.waiting'],
      faculties: ['f'],
      label: 'pager',
      owner: 'person:alice',
      active: true,
      secret_version: 1,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    },
  });
  const { id, secret, warning, ...rest } = added.body;
  expect(warning).toContain('no running daemon serves f; ');
  expect((await call('alice', 'GET', '/webhooks')).body.items).toEqual([{ id, ...rest }]);
  expect((await call('alice', 'GET', `/webhooks/${id}`)).body).toEqual({ id, ...rest });

  const tested = await call('alice', 'POST', `/webhooks/${id}/test`, { body: {} });
  expect(tested).toMatchObject({ status: 202, body: { id, delivery_id: expect.stringMatching(/^\d+$/) } });
  expect((await call('alice', 'GET', `/webhooks/${id}/deliveries/${tested.body.delivery_id}`)).body).toEqual({
    id: tested.body.delivery_id,
    webhook_id: id,
    event: 'webhook.test',
    state: 'pending',
    attempts: 0,
    last_status: null,
    last_error: null,
  });
  const rotated = await call('alice', 'POST', `/webhooks/${id}/rotate`, { body: { keep_hours: 1 } });
  expect(rotated.body).toMatchObject({ id, secret_version: 2, old_secret_until: expect.any(String) });
  expect(rotated.body.secret).not.toBe(secret);
  expect((await call('alice', 'DELETE', `/webhooks/${id}`)).body).toEqual({ id, removed: true });
  expect((await call('alice', 'GET', '/webhooks')).body.items).toEqual([]);
});

test('dead letters come in pages and are sent again, all or one', async () => {
  const { call } = await start({ config: CONFIG });
  const { id } = (await call('alice', 'POST', '/webhooks', { body: { url: URL, events: ['work.queued'] } })).body;
  for (let n = 0; n < 3; n++) await call('alice', 'POST', '/work', { body: { faculty: 'engineer' } });
  await owner().query(
    `update animus.webhook_deliveries set state = 'dead', ended_at = now(), attempts = 12, last_status = 500, last_error = 'no'`,
  );
  const first = (await call('alice', 'GET', `/webhooks/${id}/dead-letters?limit=2`)).body;
  expect(first).toMatchObject({
    items: Array.from({ length: 2 }, () => ({ webhook_id: id, event: 'work.queued', attempts: 12, last_status: 500 })),
  });
  const second = (await call('alice', 'GET', `/webhooks/${id}/dead-letters?limit=2&after=${first.next}`)).body;
  expect([second.items.length, second.next]).toEqual([1, null]);
  const one = await call('alice', 'POST', `/webhooks/${id}/retry`, { body: { delivery_id: second.items[0].id } });
  expect(one.body).toEqual({ id, retried: 1 });
  expect((await call('alice', 'POST', `/webhooks/${id}/retry`, { body: {} })).body).toEqual({ id, retried: 2 });
  expect((await call('alice', 'GET', `/webhooks/${id}/dead-letters`)).body).toEqual({ items: [], next: null });
});

test('with an Idempotency-Key a webhook is added once; the secret comes again, and no row has it', async () => {
  const { call } = await start({ config: CONFIG });
  const add = () => call('alice', 'POST', '/webhooks', { body: { url: URL }, headers: { 'idempotency-key': 'w-1' } });
  const [first, again] = [await add(), await add()];
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
  expect((await call('alice', 'GET', '/webhooks')).body.items).toHaveLength(1);
  const { id, secret } = first.body;
  const rotate = () =>
    call('alice', 'POST', `/webhooks/${id}/rotate`, { body: {}, headers: { 'idempotency-key': 'w-2' } });
  const [rotated, replayed] = [await rotate(), await rotate()];
  expect(replayed.body).toEqual(rotated.body);
  expect((await call('alice', 'GET', `/webhooks/${id}`)).body.secret_version).toBe(2);
  await call('alice', 'POST', `/webhooks/${id}/test`, { body: {} });
  const rows = await owner().query<{ text: string }>(
    `select query_to_xml(format('select * from %s', oid::regclass), true, false, '')::text as text from pg_class
      where relnamespace = 'animus'::regnamespace and relkind = 'r'`,
  );
  const text = rows.map((row) => row.text).join('');
  expect(text).toContain(URL);
  const hidden = [KEY.reveal(), secret, rotated.body.secret].map((one: string) => one.replace('whsec_', ''));
  for (const one of hidden.flatMap((plain) => [plain, createHmac('sha256', plain).digest('hex')]))
    expect(text).not.toContain(one);
  for (const one of hidden) expect(text).not.toContain(Buffer.from(one, 'base64').toString('hex'));
});

test('without a key there are no new secrets, and the answer says what to do', async () => {
  const { call } = await start({ config: configOf() });
  expect(await call('alice', 'POST', '/webhooks', { body: { url: URL } })).toMatchObject({
    status: 503,
    body: { code: 'http.no_webhook_key', detail: expect.stringContaining('ANIMUS_WEBHOOK_KEY') },
  });
  expect((await call('alice', 'GET', '/webhooks')).body.items).toEqual([]);
});

test.each(routes.filter(({ path }) => path.includes('{id}')).map((route) => [route.id, route] as const))(
  '%s: the webhook of another person looks like none',
  async (_id, { method, path }) => {
    const { call } = await start({ config: CONFIG });
    const { body: hook } = await call('alice', 'POST', '/webhooks', { body: { url: URL } });
    const { delivery_id: delivery } = (await call('alice', 'POST', `/webhooks/${hook.id}/test`, { body: {} })).body;
    const to = (webhook: string) =>
      call(
        'mallory',
        method,
        path.replace('{id}', webhook).replace('{delivery_id}', delivery),
        method === 'POST' ? { body: {} } : {},
      );
    const [hidden, absent] = [await to(hook.id), await to(NONE)];
    expect([hidden.status, JSON.stringify(hidden.body).replaceAll(hook.id, NONE)]).toEqual([
      404,
      JSON.stringify(absent.body),
    ]);
    expect((await call('alice', 'GET', `/webhooks/${hook.id}`)).body).toMatchObject({ secret_version: 1, pending: 1 });
    expect((await call('mallory', 'GET', '/webhooks')).body.items).toEqual([]);
  },
);

test('a delivery of another webhook of the same person is not there', async () => {
  const { call } = await start({ config: CONFIG });
  const [first, second] = [
    (await call('alice', 'POST', '/webhooks', { body: { url: URL } })).body,
    (await call('alice', 'POST', '/webhooks', { body: { url: URL } })).body,
  ];
  const { delivery_id: delivery } = (await call('alice', 'POST', `/webhooks/${first.id}/test`, { body: {} })).body;
  expect((await call('alice', 'GET', `/webhooks/${second.id}/deliveries/${delivery}`)).status).toBe(404);
});

test('operators see and change all; a reader that sees all work does not; a token needs its scope', async () => {
  const { call, url } = await start({ config: CONFIG });
  await createPerson(owner(), 'olga', 'operator');
  await createPerson(owner(), 'rita', 'reader');
  const { body: hook } = await call('alice', 'POST', '/webhooks', { body: { url: URL } });
  expect((await call('rita', 'GET', '/webhooks')).body.items).toEqual([]);
  expect((await call('rita', 'DELETE', `/webhooks/${hook.id}`)).status).toBe(404);
  expect((await call('olga', 'GET', '/webhooks')).body.items).toMatchObject([{ id: hook.id, owner: 'person:alice' }]);
  const { secret } = await createToken(owner(), 'alice', { scopes: ['read'] });
  const refused = await fetch(`${url}/api/v1/webhooks/${hook.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${secret}` },
  });
  expect(refused.status).toBe(403);
  // With the role of its token: what an operator adds with less is for less.
  expect((await call('olga', 'DELETE', `/webhooks/${hook.id}`)).body.removed).toBe(true);
});

test.each([
  [{ url: 'ftp://example.com/' }, 'work.invalid'],
  [{ url: 'https://user:pass@example.com/' }, 'work.invalid'],
  [{ url: URL, events: [] }, 'http.invalid'],
  [{ url: URL, events: ['work.gone'] }, 'http.invalid'],
  [{ url: URL, faculties: [] }, 'http.invalid'],
  [{ url: URL, person: 'olga' }, 'http.invalid'],
])('%j is refused', async (body, code) => {
  const { call } = await start({ config: CONFIG });
  expect((await call('alice', 'POST', '/webhooks', { body })).body).toMatchObject({ code });
});

test('a person has at most twenty', async () => {
  const { call } = await start({ config: CONFIG });
  for (let n = 0; n < 20; n++)
    expect((await call('alice', 'POST', '/webhooks', { body: { url: URL } })).status).toBe(201);
  expect(await call('alice', 'POST', '/webhooks', { body: { url: URL } })).toMatchObject({
    status: 422,
    body: { code: 'work.invalid' },
  });
});

test('a webhook belongs to the person, not to the token that added it: it goes on until the person is disabled or may not see the work', async () => {
  const { call } = await start({ config: CONFIG });
  await createPerson(owner(), 'rita', 'reader');
  const { id: token, secret } = await createToken(owner(), 'rita');
  const as = { headers: { authorization: `Bearer ${secret}` } };
  const added = await call(null, 'POST', '/webhooks', { ...as, body: { url: URL, events: ['work.queued'] } });
  expect(added.status).toBe(201);
  const submit = async () => (await call('alice', 'POST', '/work', { body: { faculty: 'engineer' } })).body.id;
  const claimed = async () => {
    const mark = webhookKeyMark(KEY);
    const rows = await owner().query<{ body: string }>('select body from animus.claim_deliveries($1::text[])', [
      [mark],
    ]);
    return rows.map(({ body }) => JSON.parse(body).data.id);
  };
  const waiting = async () => (await owner().query('select from animus.webhook_deliveries where claim is null')).length;
  await revokeToken(owner(), token);
  const first = await submit();
  expect(await claimed()).toEqual([first]);
  // Its rights change between the event and the delivery, and before the event.
  for (const [away, back] of [
    [{ disabled: true }, { disabled: false }],
    [{ role: 'submitter' }, { role: 'reader' }],
  ] as const) {
    await submit();
    expect(await waiting()).toBe(1);
    await setPerson(owner(), 'rita', away);
    expect(await claimed()).toEqual([]);
    await submit();
    expect(await waiting()).toBe(0);
    await setPerson(owner(), 'rita', back);
    expect(await claimed()).toEqual([]);
    const later = await submit();
    expect(await claimed()).toEqual([later]);
  }
});

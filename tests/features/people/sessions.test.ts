/** What a session may do, how long it lasts, and what ends it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { revokeToken, setPerson } from '../../../src/features/people/store.ts';
import { openLogin } from '../../../src/http/login/login.ts';
import { asVisitor } from '../../../src/http/login/visitor.ts';
import { testApi } from '../../support/api.ts';
import { beginSession, logIn, loginLink } from '../../support/browser.ts';
import { startIssuer, type TestIssuer } from '../../support/oidc-issuer.ts';
import { createPerson, createToken } from '../../support/people.ts';

const { start, owner, gateway } = testApi();
const HOUR = 3_600_000;
const settings = { allowedHosts: [], allowedOrigins: [], requestsPerMinute: 100_000 };
let issuer: TestIssuer;
beforeAll(async () => void (issuer = await startIssuer()));
afterAll(() => issuer.stop());

test('a login link begins a session with the rights of its person, for 12 hours', async () => {
  const api = await start();
  const link = await loginLink(owner(), 'olga', 'operator');
  const begun = await beginSession(api, { link, label: 'Firefox' });
  expect(begun).toMatchObject({
    status: 201,
    body: { person: 'olga', actor: 'person:olga', role: 'operator', scopes: ['read', 'work', 'decide'] },
  });
  const left = Date.parse(begun.body.expires_at) - Date.now();
  expect(left).toBeGreaterThan(11.9 * HOUR);
  expect(left).toBeLessThanOrEqual(12 * HOUR);
  expect(begun.headers.get('set-cookie')).toMatch(
    /^animus_session=animus_session_[\w-]{49}; Max-Age=4\d{4}; HttpOnly; SameSite=Strict$/,
  );
  expect(Object.keys(begun.body)).not.toContain('session');

  const browser = await logIn(api, { link: await loginLink(owner(), 'olga') });
  const shown = await browser.call('GET', '/session');
  expect(shown).toMatchObject({ status: 200, body: { id: browser.id, csrf: browser.csrf, role: 'operator' } });
  expect(shown.headers.get('set-cookie')).toBe(null);
  expect((await browser.call('GET', '/me')).body).toMatchObject({ person: 'olga', token_id: browser.id });
  const made = await browser.call('POST', '/work', { body: { faculty: 'engineer' } });
  expect(made.status).toBe(201);
  expect((await browser.call('POST', '/pauses', { body: { faculty: 'nobody' } })).status).toBe(201);
  const [item] = await owner().query('select submitted_by from animus.work_items where id = $1', [made.body.id]);
  expect(item).toEqual({ submitted_by: 'person:olga' });
});

test('a session that began with a token has no more rights, ends no later, and is revoked with it', async () => {
  const api = await start();
  await createPerson(owner(), 'rita', 'operator');
  const expiresAt = new Date(Date.now() + HOUR);
  const { id, secret } = await createToken(owner(), 'rita', { role: 'reader', scopes: ['read', 'work'], expiresAt });
  const browser = await logIn(api, { token: secret });
  expect((await browser.call('GET', '/session')).body).toMatchObject({
    role: 'reader',
    scopes: ['read', 'work'],
    expires_at: expiresAt.toISOString(),
  });
  expect((await browser.call('GET', '/people')).status).toBe(403);
  const child = await browser.call('POST', '/tokens', { body: {} });
  expect((await browser.call('POST', '/tokens', { body: { role: 'operator' } })).status).toBe(422);
  const listed = (await browser.call('GET', '/tokens')).body.items;
  expect(listed).toMatchObject([
    { id: child.body.id, kind: 'token', created_with: browser.id },
    { id: browser.id, kind: 'session', created_with: id, expires_at: expiresAt.toISOString() },
    { id, kind: 'token' },
  ]);
  await revokeToken(owner(), id);
  expect((await browser.call('GET', '/session')).status).toBe(401);
  const headers = { authorization: `Bearer ${child.body.token}` };
  expect((await api.call(null, 'GET', '/me', { headers })).status).toBe(401);
});

test('a session of a token without the scope read cannot begin', async () => {
  const api = await start();
  const { secret } = await createToken(owner(), 'walt', { scopes: ['work'] });
  expect(await beginSession(api, { token: secret })).toMatchObject({ status: 403, body: { code: 'http.forbidden' } });
});

test('it ends by logging out, by being revoked from elsewhere, with its person, and by time', async () => {
  const api = await start();
  const begin = async () => logIn(api, { token: await api.tokenOf('alice') });
  const [out, elsewhere, late, disabled] = [await begin(), await begin(), await begin(), await begin()];
  const gone = await out.call('DELETE', '/session');
  expect(gone).toMatchObject({ status: 200, body: { id: out.id, person: 'alice' } });
  expect(gone.headers.get('set-cookie')).toBe('animus_session=; Max-Age=0; HttpOnly; SameSite=Strict');
  expect((await api.call('alice', 'DELETE', `/tokens/${elsewhere.id}`)).status).toBe(200);
  await owner().query(`update animus.tokens set expires_at = now() - interval '1 ms' where id = $1`, [late.id]);
  for (const ended of [out, elsewhere, late])
    expect(await ended.call('GET', '/me')).toMatchObject({ status: 401, body: { code: 'http.unauthorized' } });
  expect((await disabled.call('GET', '/me')).status).toBe(200);
  await setPerson(owner(), 'alice', { disabled: true });
  expect((await disabled.call('GET', '/me')).status).toBe(401);
  const [decisions] = await owner().query<{ begun: number; ended: number }>(
    `select count(*) filter (where action = 'grant' and note like 'session %')::int as begun,
            count(*) filter (where action = 'revoke' and decided_by = 'person:alice')::int as ended
       from animus.decisions where target = 'person alice'`,
  );
  expect(decisions).toEqual({ begun: 4, ended: 2 });
});

test('a request with a token has no session', async () => {
  const api = await start();
  for (const method of ['GET', 'DELETE'])
    expect(await api.call('alice2', method, '/session')).toMatchObject({
      status: 404,
      body: { code: 'work.not_found', detail: 'this request has a token, and no session' },
    });
  expect(await beginSession(api, {})).toMatchObject({ status: 400, body: { code: 'http.invalid' } });
  const token = await api.tokenOf('alice2');
  expect(await beginSession(api, { token, link: await loginLink(owner(), 'alice2') })).toMatchObject({ status: 400 });
});

test('a session does not begin another one, and nobody but a gateway that acts for a person begins one', async () => {
  const api = await start();
  const browser = await logIn(api, { token: await api.tokenOf('bob') });
  const visitor = await openLogin({ database: gateway() }).session(browser.cookie.split('=')[1]!);
  const begin = `select animus.begin_session(sha256('x'))`;
  await expect(asVisitor(gateway(), visitor, (tx) => tx.query(begin))).rejects.toThrow(/a session with a session/);
  await expect(gateway().query(begin)).rejects.toMatchObject({ code: 'db.forbidden' });
  await expect(owner().query(begin)).rejects.toMatchObject({ code: 'db.forbidden' });
});

test('one session more than 100 ends the oldest, and sessions are not counted as tokens', async () => {
  const api = await start();
  const token = await api.tokenOf('cara');
  const first = await logIn(api, { token });
  const second = await logIn(api, { token });
  for (let n = 2; n < 100; n++) await logIn(api, { token });
  expect((await first.call('GET', '/me')).status).toBe(200);
  await logIn(api, { token });
  expect([(await first.call('GET', '/me')).status, (await second.call('GET', '/me')).status]).toEqual([401, 200]);
  expect((await api.call('cara', 'POST', '/tokens', { body: {} })).status).toBe(201);
  const [person] = await owner().query(`select tokens from animus.visible_people where name = 'cara'`);
  expect(person).toEqual({ tokens: 2 });
});

test('sessions that ended long ago are forgotten, and login links after a day', async () => {
  const api = await start();
  const old = await logIn(api, { link: await loginLink(owner(), 'dora') });
  await owner().query(`update animus.tokens set expires_at = now() - interval '31 days' where id = $1`, [old.id]);
  await owner().query(`update animus.login_links set expires_at = now() - interval '25 hours' where person = 'dora'`);
  await logIn(api, { link: await loginLink(owner(), 'dora') });
  const [kept] = await owner().query(
    `select (select count(*)::int from animus.tokens where person = 'dora') as sessions,
            (select count(*)::int from animus.login_links where person = 'dora') as links`,
  );
  expect(kept).toEqual({ sessions: 1, links: 1 });
});

test('a token of an issuer begins a session that ends with it, with its role and scopes; who is not listed stays unlisted', async () => {
  const oidc = issuer.config({ roleClaim: 'role', roles: new Map([['boss', 'operator']]), scopePrefix: 'animus:' });
  const api = await start({ settings: { ...settings, oidc } });
  const exp = Math.floor(Date.now() / 1000) + 600;
  const token = await issuer.sign({ sub: 'ines', exp, role: ['boss'], scope: 'animus:read animus:work' });
  const browser = await logIn(api, { token });
  const me = async () => (await browser.call('GET', '/session')).body;
  expect(await me()).toMatchObject({
    person: 'ines',
    role: 'submitter',
    scopes: ['read', 'work'],
    expires_at: new Date(exp * 1000).toISOString(),
  });
  expect(await owner().query(`select from animus.people where name = 'ines'`)).toEqual([]);
  expect((await browser.call('GET', '/tokens')).body.items).toMatchObject([{ kind: 'session', state: 'valid' }]);
  await setPerson(owner(), '*', { role: 'reader', disabled: false });
  expect(await me()).toMatchObject({ role: 'reader' });
  await setPerson(owner(), '*', { disabled: true });
  expect((await browser.call('GET', '/session')).status).toBe(401);
  const [token0] = await owner().query(`select state from animus.visible_tokens where person = 'ines'`);
  expect(token0).toEqual({ state: 'disabled' });
  await setPerson(owner(), '*', { role: 'submitter', disabled: false });
  // The claims of the token limit it, also when the person is listed.
  await createPerson(owner(), 'ines', 'operator');
  expect(await me()).toMatchObject({ role: 'operator' });
  const low = await logIn(api, { token: await issuer.sign({ sub: 'ines', exp, scope: 'animus:read' }) });
  expect((await low.call('GET', '/session')).body).toMatchObject({ role: 'submitter', scopes: ['read'] });
});

test('an operator login makes links for people; a person that is not listed is added, a disabled one refused', async () => {
  await loginLink(owner(), 'newcomer', 'reader');
  expect(await owner().query(`select role from animus.people where name = 'newcomer'`)).toEqual([{ role: 'reader' }]);
  await createPerson(owner(), 'gone');
  await setPerson(owner(), 'gone', { disabled: true });
  await expect(loginLink(owner(), 'gone')).rejects.toThrow(/gone is disabled; animus person enable gone/);
  await expect(loginLink(owner(), '*')).rejects.toMatchObject({ code: 'work.invalid' });
  await expect(gateway().query(`select animus.create_login_link('olga', sha256('x'))`)).rejects.toMatchObject({
    code: 'db.forbidden',
  });
});

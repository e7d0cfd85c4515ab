/** The promise: a login link makes one session, for whoever comes first within a minute; and no secret of a login is accepted in the place of another, or kept. */
import { expect, test } from 'vitest';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { newAccessToken } from '../../src/core/secrets/access-token.ts';
import { testApi } from '../support/api.ts';
import { beginSession, logIn, loginLink } from '../support/browser.ts';

const { start, owner } = testApi();

test('a login link works once, also for many that use it at the same moment', async () => {
  const apis = [await start(), await start()];
  const link = await loginLink(owner(), 'lisa');
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => beginSession(apis[n % 2]!, { link })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 401)]);
  const [sessions] = await owner().query(`select count(*)::int as n from animus.tokens where person = 'lisa'`);
  expect(sessions).toEqual({ n: 1 });
  expect(await beginSession(apis[0]!, { link })).toMatchObject({
    status: 401,
    body: { code: 'http.unauthorized', detail: expect.stringContaining('the login link has been used') },
  });
});

test('a login link that has expired, was never made, or is of another form is refused, and sets no cookie', async () => {
  const api = await start();
  const late = await loginLink(owner(), 'lea');
  await owner().query(`update animus.login_links set expires_at = now() - interval '1 ms' where person = 'lea'`);
  const disabled = await loginLink(owner(), 'lars');
  await owner().query(`select animus.set_person('lars', null, true)`);
  for (const link of [late, disabled, newAccessToken('link').reveal(), newAccessToken().reveal(), `${late}x`, 'x']) {
    const answer = await beginSession(api, { link });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null]);
    expect(JSON.stringify(answer.body)).not.toContain(link.slice(-20));
  }
  const [used] = await owner().query(
    `select count(*)::int as n from animus.login_links where used_at is not null and person in ('lea', 'lars')`,
  );
  expect(used).toEqual({ n: 0 });
});

test('wrong links and wrong sessions count toward the limit of wrong tokens', async () => {
  const api = await start({ clock: { ...systemClock, monotonicMs: () => 0 } });
  const guess = (n: number) =>
    n % 2 === 0
      ? beginSession(api, { link: newAccessToken('link').reveal() })
      : api.call(null, 'GET', '/me', {
          headers: { cookie: `animus_session=${newAccessToken('session').reveal()}`, 'sec-fetch-site': 'same-origin' },
        });
  const statuses = [];
  for (let n = 0; n < 62; n++) statuses.push((await guess(n)).status);
  expect(statuses.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 401));
  expect(statuses.slice(60)).toEqual([429, 429]);
  expect((await beginSession(api, { link: await loginLink(owner(), 'lena') })).status).toBe(201);
});

test('a session is no token, a token no session, and neither is a link', async () => {
  const api = await start();
  const browser = await logIn(api, { token: await api.tokenOf('olga') });
  const secret = browser.cookie.split('=')[1]!;
  const token = await api.tokenOf('olga');
  const cookie = (text: string) => ({ headers: { cookie: `animus_session=${text}` } });
  expect((await api.call(null, 'GET', '/me', { headers: { authorization: `Bearer ${secret}` } })).status).toBe(401);
  expect((await browser.call('GET', '/me', cookie(token))).status).toBe(401);
  expect((await browser.call('GET', '/me', cookie(await loginLink(owner(), 'olga')))).status).toBe(401);
  for (const body of [
    { token: secret },
    { link: secret },
    { link: token },
    { token: await loginLink(owner(), 'olga') },
  ])
    expect((await beginSession(api, body)).status).toBe(401);
});

test('the secrets of sessions and links are in no table, no error and no log', async () => {
  const lines: string[] = [];
  const keep = (fields: object, text: string) => void lines.push(JSON.stringify(fields) + text);
  const log = { debug: keep, info: keep, warn: keep, error: keep, child: () => log } as never;
  const api = await start({ log });
  const link = await loginLink(owner(), 'sara');
  const browser = await logIn(api, { link });
  await browser.call('GET', '/session');
  await beginSession(api, { link });
  const secrets = [link, browser.cookie.split('=')[1]!, browser.csrf];
  const tables = await owner().query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'animus'::regnamespace and relkind = 'r'`,
  );
  for (const { name } of tables) {
    const [row] = await owner().query<{ rows: string }>(
      `select coalesce(string_agg(t::text, ' '), '') as rows from animus.${name} t`,
    );
    for (const secret of secrets) expect(row!.rows.includes(secret.slice(-40)), name).toBe(false);
  }
  expect(lines.length).toBeGreaterThan(0);
  for (const secret of secrets) expect(lines.join('\n')).not.toContain(secret.slice(-40));
});

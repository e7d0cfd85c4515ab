/** Tokens of an issuer at the API, and what clients and the log get to know when they are refused. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { testApi } from '../../support/api.ts';
import { startIssuer, type TestIssuer } from '../../support/oidc-issuer.ts';

const { owner, start } = testApi();
let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());

test('a person of the issuer submits work; refusals name no token, and troubles of the issuer are a 503 without details', async () => {
  const logged: unknown[] = [];
  const log = new Proxy({} as never, {
    get:
      (_, level) =>
      (...line: unknown[]) =>
        void (level === 'debug' || logged.push(line)),
  });
  const settings = { allowedHosts: [], allowedOrigins: [], requestsPerMinute: 1000, oidc: issuer.config() };
  const api = await start({ settings, log });
  const call = (token: string, body: object, url = api.url) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    };
    return fetch(`${url}/api/v1/work`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  issuer.trouble = { status: 500, body: 'a secret of the issuer' };
  const token = await issuer.sign();
  const down = await call(token, { faculty: 'engineer' });
  expect(down.status).toBe(503);
  expect(await down.json()).toMatchObject({ type: 'urn:animus:error:http.issuer', status: 503 });
  expect(logged).toHaveLength(1);

  issuer.trouble = null;
  const again = await start({ settings, log });
  const submitted = await fetch(`${again.url}/api/v1/work`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ faculty: 'engineer' }),
  });
  expect(submitted.status).toBe(201);
  const { id } = (await submitted.json()) as { id: string };
  expect(await owner().query('select submitted_by from animus.work_items where id = $1', [id])).toEqual([
    { submitted_by: 'person:alice' },
  ]);

  const exp = Math.floor(Date.now() / 1000) + 600;
  const me = await fetch(`${again.url}/api/v1/me`, {
    headers: { authorization: `Bearer ${await issuer.sign({ exp })}` },
  });
  expect(await me.json()).toMatchObject({ expires_at: new Date(exp * 1000).toISOString(), token_id: null });

  // A browser can send no header; the token has dots.
  const socket = new WebSocket(`${again.url.replace('http', 'ws')}/api/v1/socket`, ['animus.v1', `token.${token}`]);
  await once(socket, 'open');
  socket.close();
  await once(socket, 'close');

  const expired = await issuer.sign({ exp: 1 });
  const refused = await call(expired, {}, again.url);
  expect(refused.status).toBe(401);
  const body = await refused.text();
  expect(body).toContain('the token');
  expect(
    body + JSON.stringify(logged, (_, value) => (value instanceof Error ? [value.message, value.stack] : value)),
  ).not.toContain(expired.slice(0, 30));
});

import { expect, test } from 'vitest';
import { API_ROUTES } from '../../../src/http/api/api-routes.ts';
import { testApi } from '../../support/api.ts';

const { start } = testApi();
const methods = API_ROUTES.map(({ method, path }) => `${method} ${path}`);

test('the document names every route once, and needs no token', async () => {
  const { call } = await start();
  const { status, body } = await call(null, 'GET', '/openapi.json');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'animus', version: '1.2.3' },
    security: [{ token: [] }, { session: [] }],
  });
  const named = Object.entries(body.paths).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(named.sort()).toEqual([...methods].sort());
  expect(new Set(API_ROUTES.map(({ id }) => id)).size).toBe(API_ROUTES.length);
});

test('every reference of the document leads somewhere', async () => {
  const { call } = await start();
  const { body } = await call(null, 'GET', '/openapi.json');
  const text = JSON.stringify(body);
  const names = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(0);
  expect(Object.keys(body.components.schemas)).toEqual(expect.arrayContaining(names));
  expect(text).not.toContain('$defs');
});

test('every route refuses who has no token, before it looks at anything else', async () => {
  let { url } = await start();
  // A login says in its body who sends it.
  const routes = API_ROUTES.filter((route) => !('session' in route && route.session === 'begins'));
  expect(routes.length).toBe(API_ROUTES.length - 1);
  for (const [n, { method, path }] of routes.entries()) {
    // Failures of one address are limited.
    if (n % 50 === 49) ({ url } = await start());
    const response = await fetch(`${url}/api/v1${path.replaceAll(/\{\w+\}/g, 'x')}`, { method });
    expect([path, response.status, response.headers.get('www-authenticate')]).toEqual([
      path,
      401,
      'Bearer realm="animus"',
    ]);
    expect(await response.json()).toMatchObject({ code: 'http.unauthorized' });
  }
});

test('other paths and methods', async () => {
  const { call, url } = await start();
  expect(await call('alice', 'GET', '/nothing')).toMatchObject({ status: 404, body: { code: 'http.not_found' } });
  const wrong = await call('alice', 'DELETE', '/work');
  expect(wrong).toMatchObject({ status: 405, body: { code: 'http.method' } });
  expect(wrong.headers.get('allow')).toContain('POST');
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ alive: true });
});

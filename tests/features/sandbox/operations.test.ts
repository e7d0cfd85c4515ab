/** Promise: a token that may submit work runs code by HTTP, and learns before anything is recorded that no engine answers. */
import { afterEach, expect, test } from 'vitest';
import { deregisterDaemon } from '../../../src/store/work/daemons.ts';
import { testApi } from '../../support/api.ts';
import { registerCodeDaemon } from '../../support/code-daemon.ts';
import { createPerson, createToken } from '../../support/people.ts';

const { start, owner } = testApi();
const PATH = '/sandbox/executions';
const CODE = { code: 'return 6 * 7' };

const registered: string[] = [];
async function daemon(options?: Parameters<typeof registerCodeDaemon>[1]): Promise<void> {
  registered.push(await registerCodeDaemon(owner(), options));
}
afterEach(async () => {
  for (const id of registered.splice(0)) await deregisterDaemon(owner(), id);
});

const count = async () =>
  (await owner().query<{ n: number }>('select count(*)::int as n from animus.work_items'))[0]!.n;

test('code becomes a work item of the faculty sandbox, whose events the answer names', async () => {
  await daemon();
  const { call } = await start();
  const sent = await call('alice', 'POST', PATH, { body: { ...CODE, timeout_seconds: 5 } });
  expect(sent).toMatchObject({
    status: 202,
    body: { state: 'queued', events: `/api/v1/work/${sent.body.id}/events` },
  });
  expect((await call('alice', 'GET', `/work/${sent.body.id}`)).body).toMatchObject({
    faculty: 'sandbox',
    description: 'Run Python: return 6 * 7',
    params: { code: 'return 6 * 7', timeout_seconds: 5 },
    source: 'http',
    submitted_by: 'person:alice',
  });
  const hidden = await call('mallory', 'GET', `/work/${sent.body.id}`);
  expect(hidden.status).toBe(404);
});

test('a command is a shell line or a list; the description and another faculty may be named', async () => {
  await daemon({ faculty: 'builder' });
  const { call } = await start();
  const body = { command: ['make', 'all'], faculty: 'builder', description: 'Build it', priority: 2 };
  const { body: item } = await call('alice', 'POST', PATH, { body });
  expect((await call('alice', 'GET', `/work/${item.id}`)).body).toMatchObject({
    faculty: 'builder',
    description: 'Build it',
    params: { command: ['make', 'all'] },
    priority: 2,
  });
});

test.each([
  {},
  { code: '' },
  { code: 'x', command: 'y' },
  { command: [] },
  { command: ['', 'x'] },
  { command: 'a\0b' },
  { code: 'x', timeout_seconds: 0 },
  { code: 'x', image: 'mine' },
  { code: 'x'.repeat(262_145) },
])('refuses a body that is not an execution (%#)', async (body) => {
  await daemon();
  const { call } = await start();
  expect(await call('alice', 'POST', PATH, { body })).toMatchObject({ status: 400, body: { code: 'http.invalid' } });
});

test('503 with a remedy while no daemon can start a container, and nothing is recorded', async () => {
  const { call } = await start();
  const before = await count();
  const none = await call('alice', 'POST', PATH, { body: CODE });
  expect(none).toMatchObject({ status: 503, body: { code: 'http.no_sandbox', retryable: true } });
  expect(none.headers.get('content-type')).toBe('application/problem+json');
  expect(none.body.detail).toMatch(/no running daemon has the faculty sandbox; start one/);

  const problem = 'cannot reach the Docker engine at unix:///run/secret.sock: ENOENT';
  await daemon({ problem });
  const down = await call('alice', 'POST', PATH, { body: CODE, headers: { 'idempotency-key': 'k-1' } });
  expect(down).toMatchObject({ status: 503, body: { code: 'http.no_sandbox' } });
  expect(down.body.detail).toMatch(/no Docker engine answers.*animus sandbox status/);
  expect(down.body.detail).not.toContain('secret.sock');
  await createPerson(owner(), 'olga', 'operator');
  expect((await call('olga', 'POST', PATH, { body: CODE })).body.detail).toContain(problem);
  const settings = await call('alice', 'GET', '/faculties/sandbox');
  expect(JSON.stringify(settings.body)).not.toContain('secret.sock');
  expect(await count()).toBe(before);

  // One daemon of several is enough. The key of a refused request may be used again.
  await daemon();
  const again = { body: CODE, headers: { 'idempotency-key': 'k-1' } };
  const first = await call('alice', 'POST', PATH, again);
  expect(first.status).toBe(202);
  expect((await call('alice', 'POST', PATH, again)).body).toEqual(first.body);
  expect(await count()).toBe(before + 1);
  const faculties = await call('alice', 'GET', '/faculties');
  expect(faculties.body.items).toContainEqual(
    expect.objectContaining({ name: 'sandbox', daemons: 2, able: 1, mode: 'code', problem: null }),
  );
});

test('a faculty with a model runs no code', async () => {
  await daemon({ faculty: 'engineer', mode: null });
  const { call } = await start();
  const refused = await call('alice', 'POST', PATH, { body: { ...CODE, faculty: 'engineer' } });
  expect(refused.status).toBe(422);
  expect(refused.body).toMatchObject({
    code: 'work.invalid',
    detail: expect.stringContaining('runs no code') as string,
  });
});

test('needs a token with scope work', async () => {
  await daemon();
  const { call, url } = await start();
  expect((await call(null, 'POST', PATH, { body: CODE })).status).toBe(401);
  const { secret } = await createToken(owner(), 'alice', { scopes: ['read'] });
  const answer = await fetch(`${url}/api/v1${PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(CODE),
  });
  expect(answer.status).toBe(403);
});

test('the path of earlier programs redirects there, with method, body and token, and to nowhere else', async () => {
  await daemon();
  const { url, tokenOf } = await start();
  for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
    const moved = await fetch(`${url}/agent/sandbox?to=//evil.example/`, { method, redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/api/v1/sandbox/executions']);
  }
  const headers = { authorization: `Bearer ${await tokenOf('alice')}`, 'content-type': 'application/json' };
  const sent = await fetch(`${url}/agent/sandbox`, { method: 'POST', headers, body: JSON.stringify(CODE) });
  expect(sent.status).toBe(202);
  const stranger = await fetch(`${url}/agent/sandbox`, { method: 'POST', body: '{}' });
  expect(stranger.status).toBe(401);
  for (const path of ['/agent', '/agent/sandbox/', '/agent/sandbox/x', '//agent/sandbox'])
    expect((await fetch(url + path, { redirect: 'manual' })).status).toBe(404);
});

import { expect, test } from 'vitest';
import { z } from 'zod';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import { submitWork } from '../../../src/features/work/submit.ts';
import { routeOf } from '../../../src/http/route/operation-route.ts';
import type { JsonRoute } from '../../../src/http/route/route.ts';
import { testApi } from '../../support/api.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();
const body = { faculty: 'engineer', description: 'Once' };
const keyed = (key: string, more: object = body) => ({ body: more, headers: { 'idempotency-key': key } });
const count = async () =>
  (await owner().query<{ n: number }>('select count(*)::int as n from animus.work_items'))[0]!.n;

test('a repeated request has its effect once and gets the first answer', async () => {
  const { call } = await start();
  const before = await count();
  const first = await call('alice', 'POST', '/work', keyed('a-1'));
  const second = await call('alice', 'POST', '/work', keyed('a-1'));
  expect([second.status, second.body]).toEqual([first.status, first.body]);
  expect([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')]).toEqual([
    null,
    'true',
  ]);
  expect(await count()).toBe(before + 1);
});

test('ten at the same time have their effect once', async () => {
  const { call } = await start();
  const before = await count();
  const all = await Promise.all(Array.from({ length: 10 }, () => call('alice', 'POST', '/work', keyed('a-2'))));
  expect(new Set(all.map((answer) => answer.body.id)).size).toBe(1);
  expect(all.map(({ status }) => status)).toEqual(Array(10).fill(201));
  expect(await count()).toBe(before + 1);
});

test('the same key for another request is refused, for another person it is another key', async () => {
  const { call } = await start();
  await call('alice', 'POST', '/work', keyed('a-3'));
  expect(await call('alice', 'POST', '/work', keyed('a-3', { faculty: 'other' }))).toMatchObject({
    status: 422,
    body: { code: 'http.key_reused' },
  });
  const before = await count();
  expect(await call('bob', 'POST', '/work', keyed('a-3', { faculty: 'other' }))).toMatchObject({ status: 201 });
  expect(await count()).toBe(before + 1);
});

test('keys in another order, white space and an escape are the same body, parameters in another order the same query', async () => {
  const { call } = await start();
  const sent = { faculty: 'engineer', params: { a: 1, b: [{ c: 'é', d: null }] } };
  const first = await call('alice', 'POST', '/work', keyed('a-6', sent));
  const spelled = '{ "params": {"b": [{"d": null, "c": "\\u00e9"}], "a": 1.0}, "faculty": "engineer" }';
  const second = await call('alice', 'POST', '/work', { ...keyed('a-6'), body: spelled });
  expect([second.status, second.body.id]).toEqual([201, first.body.id]);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  const swapped = { faculty: 'engineer', params: { a: 1, b: [{ c: null, d: 'é' }] } };
  expect((await call('alice', 'POST', '/work', keyed('a-6', swapped))).body.code).toBe('http.key_reused');

  await createPerson(owner(), 'olga', 'operator');
  const limit = { scope: 'faculty', subject: 'engineer', period: 'day', unit: 'usd' };
  await call('olga', 'PUT', '/budgets', { body: { ...limit, amount: 6 } });
  const remove = (query: string) =>
    call('olga', 'DELETE', `/budgets?${query}`, { headers: { 'idempotency-key': 'a-7' } });
  const removed = await remove('scope=faculty&subject=engineer&period=day&unit=usd');
  const again = await remove('unit=usd&period=day&subject=engineer&scope=faculty');
  expect([again.status, again.body]).toEqual([removed.status, removed.body]);
});

test('an answer that an earlier animus kept is found by the bytes of the request', async () => {
  const { call } = await start();
  const text = JSON.stringify({ faculty: 'engineer', description: 'Earlier' });
  const send = () => call('alice', 'POST', '/work', { ...keyed('a-8'), body: text });
  const first = await send();
  await owner().query(`update animus.idempotency_keys set request = sha256(convert_to($1, 'utf8')) where key = 'a-8'`, [
    `POST /api/v1/work\n${text}`,
  ]);
  expect((await send()).body).toEqual(first.body);
});

test('a request that failed leaves no key behind: it may be sent again', async () => {
  let fails = true;
  const submit = routeOf(submitWork);
  const failing: JsonRoute = {
    ...submit,
    errors: ['work.state'],
    input: { ...submit.input, body: z.unknown() },
    output: z.object({}),
    run: async ({ tx }) => {
      await tx.query(`select animus.submit_work('engineer', 'half')`);
      if (fails) throw new AnimusError('work.state', { detail: 'not now' });
      return {};
    },
  };
  const { call } = await start({ routes: [failing] });
  const before = await count();
  expect((await call('alice', 'POST', '/work', keyed('a-4'))).status).toBe(409);
  expect(await count()).toBe(before);
  fails = false;
  expect((await call('alice', 'POST', '/work', keyed('a-4'))).status).toBe(201);
  expect(await count()).toBe(before + 1);
});

test.each(['', 'ä', 'x'.repeat(201), 'a b'])('the key %j is refused', async (key) => {
  const { call } = await start();
  const answer = await call('alice', 'POST', '/work', {
    body,
    headers: { 'idempotency-key': encodeURI(key) === key ? key : '\u00e4' },
  });
  expect(answer).toMatchObject({ status: 400, body: { code: 'http.invalid' } });
});

test('keys are kept for a day', async () => {
  const { call } = await start();
  const first = await call('alice', 'POST', '/work', keyed('a-5'));
  await owner().query(`update animus.idempotency_keys set created_at = created_at - interval '25 hours'`);
  const again = await call('alice', 'POST', '/work', keyed('a-5', { faculty: 'other' }));
  expect(again.status).toBe(201);
  expect(again.body.id).not.toBe(first.body.id);
  await owner().query('select animus.prune_registers()');
  const left = await owner().query<{ key: string }>('select key from animus.idempotency_keys');
  expect(left.map(({ key }) => key)).toEqual(['a-5']);
});

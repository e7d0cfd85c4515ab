import { expect, test } from 'vitest';
import { testApi } from '../../support/api.ts';

const { start } = testApi();

test('a list goes on where the page before ended, and shows what one may see', async () => {
  const { call } = await start();
  const ids: string[] = [];
  for (const faculty of ['a', 'b', 'a', 'b', 'a'])
    ids.unshift((await call('alice', 'POST', '/work', { body: { faculty } })).body.id);
  await call('bob', 'POST', '/work', { body: { faculty: 'a' } });
  const seen: string[] = [];
  let next = '';
  do {
    const { status, body } = await call('alice', 'GET', `/work?limit=2${next && `&after=${next}`}`);
    expect(status).toBe(200);
    seen.push(...body.items.map(({ id }: { id: string }) => id));
    next = body.next;
  } while (next !== null);
  expect(seen).toEqual(ids);
  const filtered = await call('alice', 'GET', '/work?faculty=b&state=queued');
  expect(filtered.body).toMatchObject({ items: [{ id: ids[1], faculty: 'b' }, { id: ids[3] }], next: null });
});

test('a list by several properties, in another order, page by page, and its counts', async () => {
  const { call } = await start();
  const submit = async (faculty: string, description: string, priority: number) =>
    (await call('carol', 'POST', '/work', { body: { faculty, description, priority } })).body.id as string;
  const low = await submit('baker', 'Bake a rye bread', 1);
  const high = await submit('cook', 'Cook rye soup', 5);
  await submit('cook', 'Cook rice', 9);
  const ended = await submit('baker', 'Bake rye rolls', 3);
  await call('carol', 'POST', `/work/${ended}/cancel`);
  const query = `q=rye&faculty=baker,cook&state=queued,cancelled&since=2026-01-01T00:00:00Z&sort=priority`;
  const first = await call('carol', 'GET', `/work?${query}&limit=2`);
  expect(first).toMatchObject({ status: 200, body: { items: [{ id: high }, { id: ended }], partial: false } });
  const second = await call('carol', 'GET', `/work?${query}&limit=2&after=${String(first.body.next)}`);
  expect(second.body).toMatchObject({ items: [{ id: low }], next: null });
  const counts = await call('carol', 'GET', '/work/counts?q=rye&faculty=baker,cook&state=queued,cancelled');
  expect(
    counts.body.states.toSorted((a: { state: string }, b: { state: string }) => a.state.localeCompare(b.state)),
  ).toEqual([
    { state: 'cancelled', items: 1, more: false },
    { state: 'queued', items: 2, more: false },
  ]);
  expect(counts.body).toMatchObject({ items: 3, more: false });
  expect((await call('dave', 'GET', '/work/counts')).body.items).toBe(0);
});

test.each([
  'sort=cost&after=1',
  'sort=cost&after=01900000-0000-7000-8000-000000000000',
  'sort=ended&after=WyIxIiwiMDE5MDAwMDAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDAwIl0',
  'sort=dearest',
  'since=yesterday',
  'min_cost_usd=-1',
  `state=${Array.from({ length: 21 }, () => 'dead').join(',')}`,
  'faculty=a,,b',
])('refuses ?%s', async (query) => {
  const { call } = await start();
  expect(await call('alice', 'GET', `/work?${query}`)).toMatchObject({ status: 400, body: { code: 'http.invalid' } });
});

test('refuses a search without a word', async () => {
  const { call } = await start();
  expect(await call('alice', 'GET', '/work/counts?q=%3F')).toMatchObject({ body: { code: 'work.invalid' } });
});

test.each(['limit=0', 'limit=201', 'limit=x', 'state=open', 'colour=red', 'state=queued&state=dead', 'after=1'])(
  'refuses ?%s',
  async (query) => {
    const { call } = await start();
    expect(await call('alice', 'GET', `/work?${query}`)).toMatchObject({ status: 400, body: { code: 'http.invalid' } });
  },
);

test('says what is wrong in words, without regular expressions', async () => {
  const { call } = await start();
  const detailOf = async (path: string) => String((await call('alice', 'GET', path)).body.detail);
  expect(await detailOf('/work?limit=x')).toContain('query.limit: expected a number');
  expect(await detailOf('/work?faculty=No')).toContain('query.faculty.0: expected 1 to 63 lower-case letters');
  expect(await detailOf('/work/7')).toContain('path.id: expected an id, as in ');
});

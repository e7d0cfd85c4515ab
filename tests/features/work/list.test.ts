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
  expect(await detailOf('/work?faculty=No')).toContain('query.faculty: expected 1 to 63 lower-case letters');
  expect(await detailOf('/work/7')).toContain('path.id: expected an id, as in ');
});

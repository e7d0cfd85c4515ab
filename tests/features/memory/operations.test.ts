import { expect, test } from 'vitest';
import { testApi } from '../../support/api.ts';

const { start } = testApi();

test('a memory is stored, found, changed and forgotten', async () => {
  const { call } = await start();
  const body = {
    content: 'Deploys to staging run on Fridays',
    kind: 'procedure',
    tags: ['deploy'],
    metadata: { team: 7 },
  };
  const stored = await call('alice', 'POST', '/memories', { body });
  expect(stored).toMatchObject({ status: 201, body: { merged: false } });
  expect((await call('alice', 'POST', '/memories', { body })).body).toEqual({ id: stored.body.id, merged: true });
  const find = async (query: string) => (await call('alice', 'GET', `/memories?${query}`)).body.items;
  expect(await find('query=staging&kind=procedure&tag=deploy')).toMatchObject([
    { ...body, id: stored.body.id, submitted_by: 'person:alice', layer: 'global' },
  ]);
  expect(await find('query=staging&kind=fact')).toEqual([]);
  const path = `/memories/${stored.body.id}`;
  expect((await call('alice', 'PATCH', path, { body: { content: 'Deploys run on Mondays' } })).body).toEqual(
    stored.body.merged === false ? { id: stored.body.id, merged: [] } : {},
  );
  expect(await find('query=mondays')).toMatchObject([{ content: 'Deploys run on Mondays' }]);
  expect(await call('alice', 'DELETE', path)).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('reason') },
  });
  expect((await call('alice', 'DELETE', `${path}?reason=wrong`)).status).toBe(200);
  expect(await find('query=mondays')).toEqual([]);
  expect(await call('alice', 'POST', '/memories', { body: { content: 'x', everybody: true } })).toMatchObject({
    status: 403,
  });
});

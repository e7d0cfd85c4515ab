import { expect, test } from 'vitest';
import { cancelWork } from '../../../src/store/work/operate.ts';
import { testApi } from '../../support/api.ts';
import { readEventStream } from '../../support/event-reader.ts';

const { start, owner } = testApi();

test('a reader of an item that wants what comes gets its place, and then only that', async () => {
  const api = await start();
  const { body } = await api.call('alice', 'POST', '/work', { body: { faculty: 'engineer' } });
  const headers = { authorization: `Bearer ${await api.tokenOf('alice')}` };
  const read = (after: string) =>
    readEventStream(`${api.url}/api/v1/work/${body.id}/events?after=${after}`, { headers });
  const now = await read('now');
  const place = await now.until(() => true);
  expect(place).toMatchObject({ type: 'position', id: expect.any(String) });
  await now.until(({ data }) => data['live'] === true && data['state'] === 'queued');
  await cancelWork(owner(), body.id);
  await now.until(({ type }) => type === 'done');
  await now.ended;
  const recorded = now.events.filter(({ type, id }) => type !== 'position' && id !== null);
  expect(recorded.map(({ type, data }) => [type, data['state']])).toEqual([
    ['state', 'cancelling'],
    ['done', 'cancelled'],
  ]);
  // From its place, a reader that was cut off gets the same.
  const again = await read(place.id!);
  await again.ended;
  expect(again.events.filter(({ id }) => id !== null)).toEqual(recorded);
  expect((await api.call('bob', 'GET', `/work/${body.id}/events?after=now`)).status).toBe(404);
});

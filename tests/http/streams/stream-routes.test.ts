import { expect, test } from 'vitest';
import { revokeToken } from '../../../src/features/people/store.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { testApi } from '../../support/api.ts';
import { readEventStream } from '../../support/event-reader.ts';
import { createToken } from '../../support/people.ts';

const { start, owner } = testApi();

test('work has a stream of events for its submitter, and is not there for another person', async () => {
  const api = await start();
  const { body } = await api.call('ada', 'POST', '/work', { body: { faculty: 'clerk', description: 'count' } });
  const url = `${api.url}/api/v1/work/${body.id}/events`;
  const bearer = async (person: string) => ({ authorization: `Bearer ${await api.tokenOf(person)}` });
  const reader = await readEventStream(url, { headers: await bearer('ada') });
  expect(reader.status).toBe(200);
  const first = await reader.until(({ id }) => id !== null);
  expect(first.data).toMatchObject({ type: 'state', state: 'queued', by: 'person:ada', work_item_id: body.id });
  await appendLedger(owner(), body.id, 'note', 'hello');
  const second = await reader.until(({ type }) => type === 'ledger');
  await reader.leave();

  const again = await readEventStream(url, { headers: await bearer('ada'), after: first.id });
  expect(await again.until(({ id }) => id !== null)).toEqual(second);
  await again.leave();
  const empty = await readEventStream(`${url}?after=${first.id}`, {
    headers: { ...(await bearer('ada')), 'last-event-id': '' },
  });
  expect(await empty.until(({ id }) => id !== null)).toEqual(second);
  await empty.leave();

  const notHers = await api.call('bob', 'GET', `/work/${body.id}/events`);
  const none = await api.call('bob', 'GET', `/work/00000000-0000-7000-8000-000000000000/events`);
  const unnamed = (answer: typeof none) => ({ ...answer.body, detail: answer.body.detail.replace(/\S+$/, '') });
  expect([notHers.status, unnamed(notHers)]).toEqual([404, unnamed(none)]);
  expect((await api.call('ada', 'GET', `/work/${body.id}/events?after=nonsense`)).status).toBe(400);
});

test('a revoked token ends a stream with its next event, which is not sent', async () => {
  const api = await start();
  const { body } = await api.call('ada', 'POST', '/work', { body: { faculty: 'clerk', description: 'count' } });
  const token = await createToken(owner(), 'ada');
  const headers = { authorization: `Bearer ${token.secret}` };
  const reader = await readEventStream(`${api.url}/api/v1/work/${body.id}/events`, { headers });
  await reader.until(({ data }) => data['live'] === true);
  await revokeToken(owner(), token.id);
  await appendLedger(owner(), body.id, 'note', 'secret');
  await reader.ended;
  expect(reader.events.map(({ type }) => type)).not.toContain('ledger');
});

test('the stream of everything ends with the server', async () => {
  const api = await start();
  const reader = await readEventStream(`${api.url}/api/v1/events`, {
    headers: { authorization: `Bearer ${await api.tokenOf('eve')}` },
  });
  await reader.until(({ type }) => type === 'snapshot');
  await api.stop();
  await reader.ended;
});

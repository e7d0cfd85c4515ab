/** One request that submits work and streams its events. */
import { expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { cancelWork } from '../../../src/store/work/operate.ts';
import { testApi } from '../../support/api.ts';
import { createToken } from '../../support/people.ts';

const { start, owner } = testApi();

interface Sent {
  readonly event: string;
  readonly id: string | null;
  readonly data: Record<string, unknown>;
}

/** The whole of a stream that ends. */
async function eventsOf(response: Response): Promise<Sent[]> {
  const text = await response.text();
  return text
    .split('\n\n')
    .filter((block) => block.includes('event: '))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? null;
      return { event: field('event')!, id: field('id'), data: JSON.parse(field('data')!) as Record<string, unknown> };
    });
}

const submitted = async () =>
  (await owner().query<{ id: string }>('select id from animus.work_items order by id desc'))[0]!.id;

test('the first event is what is answered otherwise, then come the same events with the same ids as of the item', async () => {
  const api = await start();
  const headers = { authorization: `Bearer ${await api.tokenOf('alice')}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ faculty: 'engineer', description: 'Bake' });
  const send = (key: string) =>
    fetch(`${api.url}/api/v1/work`, {
      method: 'POST',
      headers: { ...headers, accept: 'text/event-stream', 'idempotency-key': key },
      body,
    });
  const response = await send('one');
  const id = await submitted();
  expect(response.status).toBe(201);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('location')).toBe(`/api/v1/work/${id}`);
  await cancelWork(owner(), id);
  const [first, ...events] = await eventsOf(response);
  expect(first).toMatchObject({
    event: 'submitted',
    id: null,
    data: { live: true, work: { id, state: 'queued', merged_into: null } },
  });
  const recorded = events.filter((one) => one.id !== null);
  expect(recorded.at(-1)).toMatchObject({ event: 'done', data: { state: 'cancelled' } });
  const again = await fetch(`${api.url}/api/v1/work/${id}/events`, { headers });
  expect((await eventsOf(again)).filter((one) => one.id !== null)).toEqual(recorded);
  // A repetition submits nothing, and streams the same item.
  const repeated = await send('one');
  expect(repeated.headers.get('idempotency-replayed')).toBe('true');
  expect((await eventsOf(repeated)).filter((one) => one.id !== null)).toEqual(recorded);
  expect(await owner().query('select from animus.work_items')).toHaveLength(1);
});

test('without the right to read, and for any other Accept, there is no stream', async () => {
  const api = await start();
  const { secret } = await createToken(owner(), 'wanda', { scopes: ['work'] });
  const count = async () => (await owner().query('select from animus.work_items')).length;
  const before = await count();
  const send = (accept: string, token: string) =>
    fetch(`${api.url}/api/v1/work`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept },
      body: '{"faculty": "engineer"}',
    });
  expect((await send('text/event-stream', secret)).status).toBe(403);
  expect(await count()).toBe(before);
  for (const accept of ['*/*', 'application/json', 'text/event-stream;q=0, application/json']) {
    const answer = await send(accept, secret);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([201, 'application/json; charset=utf-8']);
  }
  expect((await send('text/event-stream', await api.tokenOf('alice'))).status).toBe(201);
  await cancelWork(owner(), await submitted());
  expect(
    (await api.call('alice', 'POST', '/work', { body: {}, headers: { accept: 'text/event-stream' } })).status,
  ).toBe(400);
});

test('the client submits once, and goes on where a connection broke', async () => {
  const api = await start();
  const token = await api.tokenOf('carol');
  let requests = 0;
  const client = createClient({
    baseUrl: api.url,
    token,
    async fetch(url, init) {
      requests += 1;
      const response = await fetch(url, init);
      if (requests > 2) return response;
      // The first connections break after a moment.
      const reader = response.body!.getReader();
      let chunks = 0;
      const cut = new ReadableStream<Uint8Array>({
        async pull(controller) {
          if (chunks++ === 0) return controller.enqueue((await reader.read()).value);
          await reader.cancel();
          controller.error(new Error('cut'));
        },
      });
      return new Response(cut, { status: response.status, headers: response.headers });
    },
  });
  const types: string[] = [];
  const ids = new Set<unknown>();
  let cancelled = false;
  for await (const event of client.submitAndFollow({ faculty: 'engineer' })) {
    if (event.type === 'submitted') ids.add(event.work['id']);
    if (!('live' in event)) types.push(event.type);
    if (requests > 2 && !cancelled) await cancelWork(owner(), String([...ids][0]));
    cancelled ||= requests > 2;
  }
  expect(ids.size).toBe(1);
  expect(types.filter((type) => type === 'done')).toEqual(['done']);
  expect(await owner().query(`select from animus.work_items where submitted_by = 'person:carol'`)).toHaveLength(1);
});

import { expect, test } from 'vitest';
import { readEvents } from '../../../src/store/events/read-events.ts';
import { fillHistory } from '../../store/work/fill-history.ts';
import { testApi } from '../../support/api.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();

test('ledger, turns and tool calls come in pages, each row once and in order', async () => {
  const { call } = await start();
  await createPerson(owner(), 'rita', 'reader');
  await fillHistory(owner(), 1, { turns: 5, callsPerTurn: 3, messages: 0, ledger: 7 });
  const [item] = (await call('rita', 'GET', '/work')).body.items;
  for (const [what, count, key] of [
    ['ledger', 7, 'seq'],
    ['turns', 5, 'turn'],
    ['tool-calls', 15, 'call_id'],
  ] as const) {
    const whole = await call('rita', 'GET', `/work/${item.id}/${what}`);
    expect(whole.status).toBe(200);
    expect(
      new Set(whole.body.items.map((row: Record<string, unknown>) => JSON.stringify([row['turn'], row[key]]))).size,
    ).toBe(count);
    const seen: object[] = [];
    let next: string | null = '';
    while (next !== null) {
      const { body } = await call('rita', 'GET', `/work/${item.id}/${what}?limit=2${next && `&after=${next}`}`);
      seen.push(...body.items);
      next = body.next;
    }
    expect(seen).toEqual(whole.body.items);
  }
  expect((await call('rita', 'GET', `/work/${item.id}/foci`)).body.items).toHaveLength(1);
});

test('times have at most three decimals, also those that earlier versions recorded', async () => {
  const { call } = await start();
  await createPerson(owner(), 'rita', 'reader');
  await fillHistory(owner(), 1, { turns: 2, callsPerTurn: 1, messages: 0, ledger: 0 });
  const [item] = (await call('rita', 'GET', '/work')).body.items;
  for (const table of ['turns', 'tool_calls']) {
    await owner().query(
      `update animus.${table} set duration_ms = 12.345678901234 where focus_id in (select id from animus.foci where work_item_id = $1)`,
      [item.id],
    );
  }
  for (const what of ['turns', 'tool-calls']) {
    const { items } = (await call('rita', 'GET', `/work/${item.id}/${what}`)).body;
    expect(items.map(({ duration_ms }: { duration_ms: number }) => duration_ms)).toEqual([12.346, 12.346]);
  }
  const { events } = await readEvents(owner(), { kind: 'work', id: item.id }, null);
  const times = events.flatMap((event) => ('durationMs' in event ? [event.durationMs] : []));
  expect(times).toEqual([12.346, 12.346, 12.346, 12.346]);
});

test('an operator appends to the ledger, and entries are filtered by type', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const { body: item } = await call('alice', 'POST', '/work', { body: { faculty: 'engineer' } });
  const path = `/work/${item.id}/ledger`;
  const refused = await call('alice', 'POST', path, { body: { type: 'note', content: 'x' } });
  expect(refused).toMatchObject({ status: 403, body: { code: 'http.forbidden' } });
  for (const type of ['note', 'decision']) {
    expect((await call('olga', 'POST', path, { body: { type, content: type } })).status).toBe(201);
  }
  expect((await call('alice', 'GET', `${path}?type=decision`)).body).toMatchObject({
    items: [{ seq: 2, type: 'decision', content: 'decision', focus_id: null }],
    next: null,
  });
});

test.each(['abc', 'W10', 'WyJ4IiwxXQ', '%00', 'WyIwMTkwMDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDAiLDFlOTld'])(
  'the cursor %s is refused',
  async (after) => {
    const { call } = await start();
    const { body: item } = await call('alice', 'POST', '/work', { body: { faculty: 'engineer' } });
    for (const what of ['turns', 'tool-calls']) {
      const answer = await call('alice', 'GET', `/work/${item.id}/${what}?after=${after}`);
      expect(answer).toMatchObject({ status: 400, body: { code: 'http.invalid' } });
    }
  },
);

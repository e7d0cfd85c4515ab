import { expect, test } from 'vitest';
import { askedItem } from '../../store/work/asked-item.ts';
import { testApi } from '../../support/api.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();

test('what was said to an item, in pages, and what it waits for', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const { id } = await askedItem(owner());
  for (const text of ['one', 'two', 'three']) await call('olga', 'POST', `/work/${id}/messages`, { body: { text } });
  const first = (await call('olga', 'GET', `/work/${id}/messages?limit=2`)).body;
  expect(first.items).toMatchObject([
    { text: 'one', author: 'person:olga', author_is: 'operator', delivered_at: null },
    { text: 'two' },
  ]);
  const rest = (await call('olga', 'GET', `/work/${id}/messages?after=${first.next}`)).body;
  expect([rest.items.map(({ text }: { text: string }) => text), rest.next]).toEqual([['three'], null]);
  expect((await call('olga', 'GET', `/work/${id}/waits`)).body.items).toMatchObject([
    { call_id: 'c1', kind: 'approval', subject: 'tool_call' },
  ]);
});

test('what the engine wrote into a context', async () => {
  const { call } = await start();
  await createPerson(owner(), 'rita', 'reader');
  const { id, key } = await askedItem(owner());
  await owner().query(
    `insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, created_at)
     select $1, n, 0, 'nudge', 'hello', 1, now() from generate_series(101, 103) n`,
    [key.focusId],
  );
  const first = (await call('rita', 'GET', `/work/${id}/context?limit=2`)).body;
  expect(first.items[0]).toMatchObject({ seq: 101, content: 'hello' });
  const rest = (await call('rita', 'GET', `/work/${id}/context?after=${first.next}`)).body;
  expect(rest.items.map(({ seq }: { seq: number }) => seq)).toEqual([103]);
});

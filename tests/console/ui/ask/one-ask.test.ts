import { expect, test } from 'vitest';
import type { Approval, ShowMeOutput } from '../../../../src/client/client.ts';
import { MOST_ASKS, nextAsk, type OneAsk, readAsk } from '../../../../src/console/ui/ask/one-ask.ts';

const ask = (id: string) => ({ ask_id: id }) as Approval;
const many = (count: number) => Array.from({ length: count }, (_, at) => ask(`other ${at}`));

function read(items: readonly Approval[], me: Partial<ShowMeOutput> = { role: 'operator', scopes: ['decide'] }) {
  const client = {
    approvals: { list: async () => ({ items: [...items] }) },
    people: { showMe: async () => me as ShowMeOutput },
  };
  return readAsk(client, 'a', new AbortController().signal);
}

test('a request that is listed waits, and says who may not decide it', async () => {
  expect(await read([...many(3), ask('a')])).toEqual({ is: 'waiting', ask: ask('a'), mayNot: null });
  expect(await read([ask('a')], { role: 'reader', scopes: ['read'] })).toMatchObject({
    mayNot: expect.stringContaining('reader'),
  });
  expect(await read([ask('a')], { role: 'operator', scopes: ['work'] })).not.toMatchObject({ mayNot: null });
});

test('one that is not listed is over, unless more wait than are listed', async () => {
  expect(await read([])).toMatchObject({ is: 'over', decided: { is: 'gone' } });
  expect(await read(many(MOST_ASKS - 1))).toMatchObject({ is: 'over' });
  expect(await read(many(MOST_ASKS))).toEqual({ is: 'unlisted' });
});

test('the card stays while its request waits, and what is over stays over', () => {
  const waiting: OneAsk = { is: 'waiting', ask: ask('a'), mayNot: null };
  const over: OneAsk = { is: 'over', decided: { is: 'done', text: 'Approved.' } };
  expect(nextAsk({ is: 'loading' }, waiting)).toBe(waiting);
  expect(nextAsk(waiting, { is: 'waiting', ask: ask('a'), mayNot: 'x' })).toBe(waiting);
  expect(nextAsk(over, waiting)).toBe(over);
  expect(nextAsk(waiting, over)).toBe(over);
});

test('only newer ones are left out of the list: one that was in it is over when it is not', () => {
  const unlisted: OneAsk = { is: 'unlisted' };
  expect(nextAsk({ is: 'loading' }, unlisted)).toBe(unlisted);
  expect(nextAsk(unlisted, unlisted)).toBe(unlisted);
  expect(nextAsk({ is: 'waiting', ask: ask('a'), mayNot: null }, unlisted)).toMatchObject({ is: 'over' });
});

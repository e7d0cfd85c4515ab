import { expect, test } from 'vitest';
import type { Budget } from '../../../../src/client/client.ts';
import { changedOf, fillOf, inputOf, ordered, whichOf } from '../../../../src/console/pages/money/limits.ts';

const budget = (more: Partial<Budget>) =>
  ({ scope: 'faculty', subject: 'x', period: 'day', unit: 'usd', amount: 10, used: 0, ...more }) as Budget;
const draft = { subject: ' engineer ', period: 'day', unit: 'usd', amount: 3, onExceeded: 'die' } as const;

test('a limit of each item is one of items, with the name of the faculty and without a period', () => {
  expect(inputOf({ ...draft, kind: 'each-item' })).toEqual({
    scope: 'item',
    subject: 'engineer',
    period: 'none',
    unit: 'usd',
    amount: 3,
    on_exceeded: 'die',
  });
  expect(inputOf({ ...draft, kind: 'faculty' })).toMatchObject({ scope: 'faculty', period: 'day' });
});

test('a limit for everything names nothing', () => {
  expect(inputOf({ ...draft, kind: 'appliance' })).not.toHaveProperty('subject');
  expect(whichOf(budget({ scope: 'appliance', subject: null }))).toEqual({
    scope: 'appliance',
    period: 'day',
    unit: 'usd',
  });
});

test('a change names the limit that was shown', () => {
  expect(changedOf(budget({ unit: 'tokens' }), 5, 'wait')).toEqual({
    scope: 'faculty',
    subject: 'x',
    period: 'day',
    unit: 'tokens',
    amount: 5,
    on_exceeded: 'wait',
  });
});

test('wide limits come first, and of each kind the fullest', () => {
  const list = [
    budget({ scope: 'item', subject: 'i', used: 9 }),
    budget({ subject: 'b', used: 1 }),
    budget({ subject: 'a', used: 8 }),
    budget({ scope: 'item', subject: 'each', used: null }),
    budget({ scope: 'appliance', subject: null }),
  ];
  expect(ordered(list).map(({ subject }) => subject)).toEqual([null, 'a', 'b', 'i', 'each']);
  expect(fillOf(budget({ used: null }))).toBeNull();
  expect(fillOf(budget({ used: 12 }))).toBe(1.2);
});

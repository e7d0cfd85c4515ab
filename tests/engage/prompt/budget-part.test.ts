import { expect, test } from 'vitest';
import { budgetPart } from '../../../src/engage/prompt/budget-part.ts';

test('small amounts are told in plain decimals', () => {
  const limit = { scope: 'faculty', subject: 'f', unit: 'usd', period: 'day', on_exceeded: 'wait' } as const;
  const amounts = { amount: 0.000001, spent: 5.5e-7, held: 0, used: 5.5e-7, left: 4.5e-7 };
  expect(budgetPart([{ ...limit, ...amounts, ends: '2026-05-02T00:00:00Z' }])).toContain(
    '\n- all work of faculty f, per day: 0.00000045 of 0.000001 USD left, until 2026-05-02 00:00 UTC',
  );
});

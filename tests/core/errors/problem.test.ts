import { expect, test } from 'vitest';
import { showValue } from '../../../src/core/errors/problem.ts';

test.each([
  [undefined, 'nothing'],
  [new Date(0), 'the date 1970-01-01T00:00:00.000Z'],
  [Number.NaN, 'NaN'],
  [-Infinity, '-Infinity'],
  [1.5, '1.5'],
  [['a', true], '["a",true]'],
  ['x'.repeat(58), `"${'x'.repeat(58)}"`],
  ['x'.repeat(59), `"${'x'.repeat(56)}...`],
])('%j is shown as %s', (value, shown) => {
  expect(showValue(value)).toBe(shown);
});

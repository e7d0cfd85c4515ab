import { expect, test } from 'vitest';
import { usd } from '../../../src/console/ui/money.ts';

test.each([
  [null, 'unknown cost'],
  [0, '$0'],
  [0.00001, '< $0.0001'],
  [0.0042, '$0.0042'],
  [1.234, '$1.23'],
  [99.999, '$100.00'],
  [1234.5, '$1,235'],
])('%s is shown as %s', (cost, text) => {
  expect(usd(cost)).toBe(text);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitAmount } from '../../../src/terminal/view/limits.ts';
import { bytes, cost, grouped, usd } from '../../../src/terminal/view/quantities.ts';
import { enough } from '../../../src/terminal/view/show-asked.ts';

test.each([
  [0, '$0.00'],
  [4.5e-7, '$0.00000045'],
  [1e-12, '$0.0000000000010'],
  [-4.5e-7, '$-0.00000045'],
  [0.000001, '$0.0000010'],
  [0.0042, '$0.0042'],
  [0.02625, '$0.0263'],
  [0.026249, '$0.0262'],
  [1.005, '$1.01'],
  [1234.5, '$1234.50'],
  [0.84, '$0.8400'],
  [12.5, '$12.50'],
])('%d is shown as %s: what is not nothing is never shown as nothing', (amount, shown) => {
  expect(usd(amount)).toBe(shown);
  expect(cost(amount)).toBe(shown);
});

test('numbers are written as Intl writes them', () => {
  const amounts = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.double({ min: -1e6, max: 1e6 }));
  const large = amounts.filter((amount) => Math.abs(amount) >= 1);
  const property = fc.property(large, fc.maxSafeNat(), (amount, count) => {
    const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: false };
    expect(usd(amount)).toBe(`$${amount.toLocaleString('en-US', digits)}`);
    expect(grouped(count)).toBe(count.toLocaleString('en-US'));
  });
  fc.assert(property, { numRuns: 500 });
  expect([0.1234, 1234.5678].map(grouped)).toEqual(['0.1234', '1,234.5678']);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [9999, '10.0 kB'],
  [12_400, '12 kB'],
  [3_400_000, '3.4 MB'],
  [1_200_000_000, '1.2 GB'],
])('%i bytes are shown as %s', (count, shown) => {
  expect(bytes(count)).toBe(shown);
});

test('a limit is shown exactly', () => {
  expect(limitAmount(0.000001, 'usd')).toBe('$0.000001');
  expect(limitAmount(0.0105, 'usd')).toBe('$0.0105');
  expect(limitAmount(12.5, 'usd')).toBe('$12.50');
});

test('what is proposed to add to a limit is exact, also where it is small', () => {
  expect(enough({ amount: 1e-7, base: 1e-7, used: 0, needed: 3.5e-7 })).toBe(3e-7);
  expect(enough({ amount: 0.1, base: 0.1, used: 0.1, needed: 0.25 })).toBe(0.3);
});

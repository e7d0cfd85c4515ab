import { expect, test } from 'vitest';
import { duration, relative } from '../../../src/console/ui/duration.ts';

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1000, '1.0 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [200_000, '3 min 20 s'],
  [1_234_000, '20 min'],
  [3_600_000, '1 h'],
  [7_980_000, '2 h 13 min'],
  [86_400_000 * 5, '5 d'],
])('%s ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test('a time is said from now, in both directions', () => {
  expect(relative(-65_000)).toBe('1 min 5 s ago');
  expect(relative(65_000)).toBe('in 1 min 5 s');
  expect(relative(-2000)).toBe('now');
});

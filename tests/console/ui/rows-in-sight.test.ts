import { expect, test } from 'vitest';
import { rowsInSight } from '../../../src/console/ui/rows-in-sight.ts';

test('only rows in sight exist, and some around them', () => {
  const sight = { height: 100, rowPx: 10, count: 10_000, around: 2 };
  expect(rowsInSight({ ...sight, top: 0 })).toEqual({ from: 0, to: 12 });
  expect(rowsInSight({ ...sight, top: 505 })).toEqual({ from: 48, to: 63 });
  expect(rowsInSight({ ...sight, top: 99_900 })).toEqual({ from: 9988, to: 10_000 });
  expect(rowsInSight({ ...sight, count: 3, top: 500 })).toEqual({ from: 3, to: 3 });
  expect(rowsInSight({ ...sight, count: 0, top: 0 })).toEqual({ from: 0, to: 0 });
});

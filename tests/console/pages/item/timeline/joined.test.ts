import { expect, test } from 'vitest';
import { joined } from '../../../../../src/console/pages/item/timeline/joined.ts';

const bar = (left: number, right: number) => ({ left, right });

test('narrow bars that touch become one', () => {
  expect(joined([bar(0, 1), bar(1.2, 2), bar(5, 6)])).toEqual([bar(0, 2), bar(5, 6)]);
  expect(joined([bar(0, 3), bar(1, 2)])).toEqual([bar(0, 3)]);
});

test('wide bars stay apart', () => {
  expect(joined([bar(0, 10), bar(10, 20), bar(20, 21), bar(21, 22)])).toEqual([bar(0, 10), bar(10, 20), bar(20, 22)]);
});

test('ten thousand become as many as there are pixels', () => {
  const bars = Array.from({ length: 10_000 }, (_, at) => bar(at / 10, at / 10 + 1.5));
  expect(joined(bars)).toEqual([bar(0, 1001.4)]);
});

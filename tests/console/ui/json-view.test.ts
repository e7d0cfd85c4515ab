import { describe, expect, test } from 'vitest';
import { countOfParts, firstOpen, partsOfValue } from '../../../src/console/ui/json-view.ts';

describe('firstOpen', () => {
  test('opens level by level as long as few rows are shown', () => {
    const value = { a: { b: { c: 1 } }, d: [1, 2, 3] };
    expect([...firstOpen(value, 100)]).toEqual(['', '/a', '/d', '/a/b']);
    expect([...firstOpen(value, 4)]).toEqual(['', '/a']);
    expect([...firstOpen({ 'a/b': [1] }, 10)]).toEqual(['', '/a~1b']);
  });

  test('does not open a list of a million', () => {
    const list = Array.from({ length: 1_000_000 }, (_, index) => index);
    expect([...firstOpen({ list }, 60)]).toEqual(['']);
  });

  test('does not go down a deep value', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(firstOpen(deep, 60).size).toBe(59);
  });
});

test('values without parts have none', () => {
  for (const value of ['a', 1, null, true, undefined]) {
    expect(countOfParts(value)).toBeNull();
    expect(partsOfValue(value)).toBeNull();
  }
  expect(countOfParts({})).toBe(0);
  expect(partsOfValue([5])).toEqual([['0', 5]]);
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { didYouMean, editDistance, nearest } from '../../../src/core/errors/suggest.ts';

describe('the nearest word', () => {
  test.each([
    ['max_concurent', 'max_concurrent'],
    ['pol_seconds', 'poll_seconds'],
    ['POLL_SECONDS', 'poll_seconds'],
    ['lsit', 'list'],
    ['chek', 'check'],
  ])('to %s is %s', (word, expected) => {
    expect(nearest(word, ['max_concurrent', 'poll_seconds', 'list', 'check', 'x'])).toBe(expected);
  });

  test('is none if nothing is near, and then nothing is suggested', () => {
    expect(nearest('bananas', ['poll_seconds', 'list'])).toBeNull();
    expect(nearest('ab', ['cd'])).toBeNull();
    expect(didYouMean('bananas', [])).toBe('');
  });

  test('is measured by a distance: symmetric, zero only for equal words, one for a single typo', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
    expect([editDistance('work', 'wrok'), editDistance('work', 'wok'), editDistance('wok', 'work')]).toEqual([1, 1, 1]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { covers, fit, UNKNOWN } from '../../../../src/core/permissions/text/wildcard.ts';

const X = UNKNOWN;

describe('a pattern', () => {
  it.each([
    ['git push*', 'git push', 'yes'],
    ['git push*', `git push ${X}`, 'yes'],
    ['git push *', 'git push', 'yes'],
    ['git push *', 'git pushx', 'no'],
    ['*', '', 'yes'],
    ['a*b*c', 'abc', 'yes'],
    ['a*b*c', 'acb', 'no'],
    ['a*a', 'a', 'no'],
    ['a', `a${X}`, 'maybe'],
    ['a*c', `a${X}`, 'maybe'],
    ['git push', `git${X}`, 'maybe'],
    ['git push *', `git ${X} x`, 'maybe'],
    ['git push', `gi ${X}`, 'no'],
    [String.raw`a\*b`, 'a*b', 'yes'],
    [String.raw`a\*b`, 'axb', 'no'],
    [String.raw`a\\b`, String.raw`a\b`, 'yes'],
  ] as const)('%j against %j: %s', (pattern, text, expected) => {
    expect(fit(pattern, text)).toBe(expected);
  });

  const word = fc.stringMatching(/^[ab*]{0,6}$/);
  const text = fc.stringMatching(/^[ab]{0,8}$/);

  it('fits what a regular expression fits', () => {
    fc.assert(
      fc.property(word, text, (pattern, text) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '[^]*')}$`).test(text);
        expect(fit(pattern, text)).toBe(expected ? 'yes' : 'no');
      }),
    );
  });

  it('may fit a text with an unknown part if it fits it with some text in its place', () => {
    fc.assert(
      fc.property(word, text, text, text, (pattern, before, middle, after) => {
        if (fit(pattern, before + middle + after) === 'yes') expect(fit(pattern, before + X + after)).not.toBe('no');
        if (fit(pattern, before + X + after) === 'yes') expect(fit(pattern, before + middle + after)).toBe('yes');
      }),
    );
  });

  it('that covers another one fits all that the other one fits', () => {
    fc.assert(
      fc.property(word, word, text, (wide, narrow, text) => {
        if (covers(wide, narrow) && fit(narrow, text) === 'yes') expect(fit(wide, text)).toBe('yes');
      }),
    );
  });
});

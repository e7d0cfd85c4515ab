import { describe, expect, test } from 'vitest';
import { beginning, partsOf } from '../../../src/console/ui/long-text.ts';

describe('partsOf', () => {
  test('cuts at ends of lines', () => {
    expect(partsOf('aa\nbb\ncc', 6)).toEqual(['aa\nbb', 'cc']);
  });

  test('cuts long lines, and never within a character', () => {
    expect(partsOf('a'.repeat(7), 3)).toEqual(['aaa', 'aaa', 'a']);
    expect(partsOf('aa😀bb', 3)).toEqual(['aa😀', 'bb']);
  });

  test('loses nothing of a long line of any length', () => {
    const text = `${'x'.repeat(100_001)}\n${'y'.repeat(50_000)}`;
    expect(partsOf(text, 8000).join('').length).toBe(150_001);
    expect(partsOf('', 10)).toEqual([]);
  });
});

describe('beginning', () => {
  test('keeps short texts', () => {
    expect(beginning('abc', 3)).toBe('abc');
    expect(beginning('abcd', 3)).toBe('abc');
    expect(beginning('a😀b', 2)).toBe('a😀');
  });
});

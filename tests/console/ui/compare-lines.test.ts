import { describe, expect, test } from 'vitest';
import { compareLines, compareTexts } from '../../../src/console/ui/compare-lines.ts';

const marks = (before: string, after: string) =>
  compareLines(before.split(''), after.split('')).map(
    ({ is, text }) => ({ same: ' ', added: '+', removed: '-', note: '' })[is] + text,
  );

describe('compareLines', () => {
  test('finds as few changes as possible', () => {
    expect(marks('abcd', 'abxd')).toEqual([' a', ' b', '-c', '+x', ' d']);
    expect(marks('abc', 'bcd')).toEqual(['-a', ' b', ' c', '+d']);
    expect(marks('', 'a')).toEqual(['+a']);
    expect(marks('aa', 'aa')).toEqual([' a', ' a']);
    expect(marks('aaa', 'aa')).toEqual([' a', ' a', '-a']);
  });

  test('numbers the lines on both sides', () => {
    expect(compareLines(['a', 'b'], ['b', 'c'])).toEqual([
      { is: 'removed', before: 1, after: null, text: 'a' },
      { is: 'same', before: 2, after: 1, text: 'b' },
      { is: 'added', before: null, after: 2, text: 'c' },
    ]);
  });

  test('replaces the middle of texts that are too large to compare', () => {
    const before = Array.from({ length: 3000 }, (_, index) => `a${index}`);
    const after = Array.from({ length: 3000 }, (_, index) => `b${index}`);
    const lines = compareLines(['same', ...before], ['same', ...after]);
    expect(lines).toHaveLength(6001);
    expect(lines[1]?.is).toBe('removed');
    expect(lines.at(-1)?.is).toBe('added');
  });
});

describe('compareTexts', () => {
  test('shows three lines around each change', () => {
    const before = Array.from({ length: 40 }, (_, index) => `${index}`).join('\n');
    const file = compareTexts('x', before, before.replace('\n5\n', '\nfive\n').replace('\n30\n', '\n'));
    expect(file.hunks.map(({ lines }) => lines.map(({ text }) => text).join(' '))).toEqual([
      '2 3 4 5 five 6 7 8',
      '27 28 29 30 31 32 33',
    ]);
    expect([file.added, file.removed]).toEqual([1, 2]);
  });

  test('joins changes that are near each other', () => {
    const file = compareTexts('x', 'a\nb\nc\nd\ne', 'A\nb\nc\nd\nE');
    expect(file.hunks).toHaveLength(1);
    expect(file.hunks[0]?.lines).toHaveLength(7);
  });

  test('knows files that are new or gone, and texts that are the same', () => {
    expect(compareTexts('x', null, 'a\n')).toMatchObject({ is: 'added', added: 1, removed: 0 });
    expect(compareTexts('x', 'a\n', null)).toMatchObject({ is: 'removed', added: 0, removed: 1 });
    expect(compareTexts('x', 'a', 'a').hunks).toEqual([]);
  });
});

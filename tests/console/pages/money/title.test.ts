import { expect, test } from 'vitest';
import { titleOf } from '../../../../src/console/pages/money/title.ts';

test('an item is called by the first line of its description, or by its id', () => {
  expect(titleOf({ id: 'i', description: '\nFix it\nNow' })).toBe('Fix it');
  expect(titleOf({ id: 'i', description: '  ' })).toBe('i');
});

test('a long line is cut, never within a character', () => {
  const cut = titleOf({ id: 'i', description: `${'x'.repeat(159)}😀 and more` });
  expect(cut.isWellFormed()).toBe(true);
  expect(cut).toHaveLength(162);
});

import { expect, test } from 'vitest';
import { titleWith } from '../../../src/console/model/title-with.ts';

test('the title says what waits for a person', () => {
  expect(titleWith('Work', 0)).toBe('Work · animus');
  expect(titleWith('Work', 1200)).toBe('(1,200) Work · animus');
  expect(titleWith('', 0)).toBe('animus');
});

import { expect, test } from 'vitest';
import { createChord } from '../../../src/console/ui/chord.ts';

test('a letter soon after g ends the chord, once', () => {
  const press = createChord();
  expect(press('g', 1000)).toBeNull();
  expect(press('a', 1200)).toBe('a');
  expect(press('a', 1300)).toBeNull();
});

test('a letter alone means something else, right after the page was loaded, too', () => {
  const press = createChord();
  expect(press('a', 5)).toBeNull();
  expect(press('n', 10)).toBeNull();
});

test('a letter long after g means something else', () => {
  const press = createChord();
  press('g', 1000);
  expect(press('a', 2600)).toBeNull();
});

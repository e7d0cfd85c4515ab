import { expect, test } from 'vitest';
import { readCursor, writeCursor } from '../../src/operations/cursor.ts';

const FORMS = [/^\d+$/, /^newest$/];

test('a cursor gives back its parts, as texts', () => {
  expect(readCursor(FORMS, writeCursor([7, 'newest']))).toEqual(['7', 'newest']);
});

test.each([
  ['of another list', writeCursor([7, 'oldest'])],
  ['with fewer parts', writeCursor([7])],
  ['with more parts', writeCursor([7, 'newest', 1])],
  ['with a part that is not a text or a number', writeCursor([7, null as never])],
  ['that is not JSON', 'x'],
])('a cursor %s is refused', (_, given) => {
  expect(() => readCursor(FORMS, given)).toThrow('not the `next` of a page of this list');
});

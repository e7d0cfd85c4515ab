import { expect, test } from 'vitest';
import { readCursor, writeCursor } from '../../src/operations/cursor.ts';

const ID = '5b1f0c3d-e2a9-4c1b-8a55-0123456789ab';

test('a page goes on where the one before has ended', () => {
  const parts = [ID, -3, '18', 'Zoë?>'];
  const text = writeCursor(parts);
  expect(text).toMatch(/^[\w-]+$/);
  expect(readCursor(['id', 'int', 'digits', 'text'], text)).toEqual(parts);
  expect(readCursor(['id'], undefined)).toBeNull();
});

test.each([
  ['no base64url', '***'],
  ['no JSON', Buffer.from('[').toString('base64url')],
  ['no list', Buffer.from('"x"').toString('base64url')],
  ['too few parts', writeCursor([ID])],
  ['too many parts', writeCursor([ID, 1, 1])],
  ['another kind', writeCursor([1, ID])],
  ['no id', writeCursor([ID.slice(1), 1])],
  ['a fraction', writeCursor([ID, 1.5])],
  ['a number beyond 31 bits', writeCursor([ID, 2 ** 31])],
])('%s is refused', (_, text) => {
  expect(() => readCursor(['id', 'int'], text)).toThrow('not the `next` of a page of this list');
});

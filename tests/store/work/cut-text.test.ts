import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

test.each([
  ['é'.repeat(10), 'é'.repeat(10)],
  ['x'.repeat(10), 'x'.repeat(10)],
  ['é'.repeat(11), `${'é'.repeat(10)}\n[cut here: the whole text has 22 bytes]`],
])('a text that is recorded has up to its number of characters: %s', async (text, cut) => {
  expect(await target.database.query('select animus.cut_text($1, 10) as cut', [text])).toEqual([{ cut }]);
});

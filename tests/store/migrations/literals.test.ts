/** Promise: no SQL of animus means something else where standard_conforming_strings is off, in whoever's session it is read. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { schemaFileNames } from '../../../src/store/migrations/migration-files.ts';

const DIRECTORY = new URL('../../../migrations/functions/', import.meta.url);

/** The literals of a text that contain a backslash and are not written E'…'; a continuation line of such a one counts as written so. */
function dependent(sql: string): string[] {
  const tokens = sql.matchAll(/--[^\n]*|(\b[eE]|[uU]&)?'(?:[^'\\]|''|\\.)*'(?:\s*\n\s*'(?:[^'\\]|''|\\.)*')*/gs);
  return [...tokens]
    .filter(([text, prefix]) => !text.startsWith('--') && !prefix && text.includes('\\'))
    .map(([text]) => text);
}

test.each((await schemaFileNames()).functions)('%s', (name) => {
  expect(dependent(readFileSync(new URL(name, DIRECTORY), 'utf8'))).toEqual([]);
});

test('a literal that depends on it is found', () => {
  expect(dependent(`select '\\s+', E'\\\\s', 'it''s', U&'\\0300' -- '\\d'\n`)).toEqual([`'\\s+'`]);
});

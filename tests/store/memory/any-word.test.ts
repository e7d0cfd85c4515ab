import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

test.each([
  ['the running tests', `'run' | 'running' | 'test' | 'tests'`],
  ['the', `'the'`],
])(
  'of %j any of its words is searched, with their stems, and stop words only if there is nothing else',
  async (text, query) => {
    const [row] = await target.database.query<{ query: string }>('select animus.any_word($1)::text as query', [text]);
    expect(row!.query.replaceAll(/[()]/g, '').replaceAll(/\s+/g, ' ').trim()).toBe(query);
  },
);

/** Promise: SQL and the docs have the words of src/core/work/words.ts. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesWithWords } from '../../../scripts/written-words.ts';

test.each([...filesWithWords()])('%s has the words; after a change: npm run schema', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});

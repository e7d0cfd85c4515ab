import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNestedTooDeep, MAX_LEVELS } from '../../src/llm/wire/loose-json.ts';

const deep = (levels: number, inside: string) => `${'['.repeat(levels)}${inside}${']'.repeat(levels)}`;
/** Long enough to be looked at. */
const FILL = 'x'.repeat(MAX_LEVELS);

test('counts the levels of a text outside its strings', () => {
  expect(isNestedTooDeep(deep(MAX_LEVELS, '"a"'))).toBe(false);
  expect(isNestedTooDeep(deep(MAX_LEVELS + 1, '"a"'))).toBe(true);
});

test('brackets in strings are no levels, whatever quotes and backslashes the strings contain', () => {
  const text = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', 'a', '\n') });
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      const strings = [FILL, '['.repeat(2 * MAX_LEVELS), ...texts];
      expect(isNestedTooDeep(JSON.stringify(strings))).toBe(false);
      expect(isNestedTooDeep(`[${JSON.stringify(strings)},${deep(MAX_LEVELS, '')}]`)).toBe(true);
    }),
  );
});

test('a text that ends inside a string has no more levels', () => {
  expect(isNestedTooDeep(`["${FILL}${'['.repeat(2 * MAX_LEVELS)}`)).toBe(false);
  expect(isNestedTooDeep(`["${FILL}\\"${'['.repeat(2 * MAX_LEVELS)}`)).toBe(false);
});

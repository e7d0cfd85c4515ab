import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonLimits, textBeyond, valueBeyond } from '../../../src/core/text/json-bounds.ts';

const MOST = 1e9;
const NO_LIMITS: JsonLimits = { bytes: MOST, depth: MOST, elements: MOST, nodes: MOST };
const deep = (levels: number, inside: string) => `${'['.repeat(levels)}${inside}${']'.repeat(levels)}`;
/** Long enough to be looked at. */
const FILL = 'x'.repeat(100);

describe('each limit itself is allowed, and one more is not', () => {
  test.each([
    ['depth', 50, deep(50, '"a"'), deep(51, '"a"'), 'nested more than 50 levels deep'],
    ['elements', 3, '[1,[2,3,4],5]', '[1,[2,3,4,5],5]', 'more than 3 elements'],
    ['elements', 2, '{"a":{"b":1,"c":2},"d":3}', '{"a":1,"b":2,"c":3}', 'more than 2 elements'],
    ['nodes', 4, '{"a":[1],"b":[ ]}', '{"a":[1],"b":[2]}', 'more than 4 values in all'],
    ['bytes', 7, '["äa"]', '["ää"]', 'more than 7 bytes'],
  ] as const)('%s %i', (limit, most, allowed, refused, problem) => {
    const limits = { ...NO_LIMITS, [limit]: most };
    expect(textBeyond(allowed, limits)).toBe(null);
    expect(textBeyond(refused, limits)).toContain(problem);
    if (limit === 'bytes') return;
    expect(valueBeyond(JSON.parse(allowed), limits)).toBe(null);
    expect(valueBeyond(JSON.parse(refused), limits)).toContain(problem);
  });
});

test('a text and its value are counted alike', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 0, max: 2 }),
      (value, most, space) => {
        for (const limit of ['depth', 'elements', 'nodes'] as const) {
          const limits = { ...NO_LIMITS, [limit]: most };
          // Short texts are not looked at.
          const text = JSON.stringify([FILL, value], null, space);
          expect([limit, textBeyond(text, limits)]).toEqual([limit, valueBeyond(JSON.parse(text), limits)]);
        }
      },
    ),
  );
});

test('spaces, digits and texts without end are refused, many short texts are not', () => {
  const outside = 'characters outside its strings';
  const limits = { ...NO_LIMITS, depth: 10, nodes: 60_000 };
  expect(textBeyond(`[${' '.repeat(5 * 2 ** 20)}1]`, limits)).toContain(outside);
  expect(textBeyond(`[${'1'.repeat(5 * 2 ** 20)}]`, limits)).toContain(outside);
  expect(textBeyond(`[${'""'.repeat(2 ** 20)}]`, limits)).toContain(outside);
  expect(textBeyond(JSON.stringify(Array.from({ length: 50_000 }, () => '')), limits)).toBe(null);
  expect(textBeyond(`["${'x'.repeat(5 * 2 ** 20)}"]`, limits)).toBe(null);
});

test('brackets in strings are not levels, whatever quotes and backslashes the strings contain', () => {
  const text = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ',', 'a', '\n') });
  const limits = { ...NO_LIMITS, depth: 40 };
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      const strings = [FILL, '['.repeat(80), ...texts];
      expect(textBeyond(JSON.stringify(strings), limits)).toBe(null);
      expect(textBeyond(`[${JSON.stringify(strings)},${deep(40, '')}]`, limits)).toContain('40 levels');
    }),
  );
});

test('a text that ends inside a string has no more levels', () => {
  const limits = { ...NO_LIMITS, depth: 40 };
  expect(textBeyond(`["${FILL}${'['.repeat(80)}`, limits)).toBe(null);
  expect(textBeyond(`["${FILL}\\"${'['.repeat(80)}`, limits)).toBe(null);
});

test('characters of a value are counted with those of its keys', () => {
  const limits = { ...NO_LIMITS, bytes: 5 };
  expect(valueBeyond({ ab: 'cde' }, limits)).toBe(null);
  expect(valueBeyond({ abc: 'cde' }, limits)).toContain('5 bytes');
  expect(valueBeyond('abcdef', limits)).toContain('5 bytes');
});

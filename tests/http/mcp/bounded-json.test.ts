import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundedJson } from '../../../src/http/mcp/bounded-json.ts';

test('any result is JSON of a bounded length', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 4000 }), (value, times) => {
      const text = boundedJson(Array.from({ length: times }, () => value));
      expect(text.length).toBeLessThan(66_000);
      JSON.parse(text);
    }),
    { numRuns: 30 },
  );
});

test.each([
  ['of quotes', '"'.repeat(200_000)],
  ['of control characters', '\u0001'.repeat(200_000)],
  ['of surrogates', '\ud800'.repeat(200_000)],
  ['of keys', Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`\u0001key ${n}`, n]))],
])('a result %s, too', (_, value) => {
  const text = boundedJson(value);
  expect(text.length).toBeLessThan(66_000);
  expect(JSON.parse(text)).toMatchObject({ cut: true });
});

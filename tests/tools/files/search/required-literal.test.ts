import { expect, test } from 'vitest';
import { requiredLiteral } from '../../../../src/tools/files/search/required-literal.ts';
import { generator, randomPattern, randomText } from './random-patterns.ts';

test.each<[string, string | null]>([
  ['createServer', 'createServer'],
  ['createServer\\(', 'createServer('],
  ['^export (const|let) name', 'export '],
  ['a|bcd', null],
  ['(abc|def)ghi', 'ghi'],
  ['(?!abcdef)xyz', 'xyz'],
  ['abcd?', 'abc'],
  ['abc*', null],
  ['abc+def', 'abc'],
  ['abcd{0,3}e', 'abc'],
  ['abcd{x', 'abc'],
  ['foo\\d+barbaz', 'barbaz'],
  ['\\x41bcdef', null],
  ['\\u0041bcdef', null],
  ['(a)\\1bcdef', null],
  ['[abc]]def', 'def'],
  ['[^\\]abc]wxyz', 'wxyz'],
  ['größe', null],
  ['große Welt', 'e Welt'],
  ['abc\\édefgh', 'defgh'],
  ['ab', null],
])('%s surely holds %j', (pattern, literal) => {
  expect(requiredLiteral(pattern)).toBe(literal);
});

test('whatever a pattern matches contains its literal', () => {
  const random = generator(99);
  let decided = 0;
  for (let round = 0; round < 20_000; round++) {
    const pattern = randomPattern(random);
    const literal = requiredLiteral(pattern);
    if (literal === null) continue;
    const text = randomText(random, literal);
    const match = new RegExp(pattern).exec(text);
    if (match === null) continue;
    decided++;
    expect(text.includes(literal), `${pattern} on ${text}`).toBe(true);
    const insensitive = new RegExp(pattern, 'i').exec(text.toUpperCase());
    if (insensitive) expect(text.toUpperCase().includes(literal.toUpperCase()), pattern).toBe(true);
  }
  expect(decided).toBeGreaterThan(200);
});

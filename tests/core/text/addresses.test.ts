import { expect, test } from 'vitest';
import { isPlainHttpUrl } from '../../../src/core/text/addresses.ts';

test.each([
  ['https://a.example/x?y=%20', true],
  ['http://localhost:8080', true],
  ['https://user@a.example', false],
  ['https://user:word@a.example', false],
  ['https://:word@a.example', false],
  ['ftp://a.example', false],
  ['https://a.example/%zz', false],
  ['a.example', false],
])('%s is a plain address: %s', (value, plain) => {
  expect(isPlainHttpUrl(value)).toBe(plain);
});

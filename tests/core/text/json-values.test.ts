import { expect, test } from 'vitest';
import { isObject, parsedJson } from '../../../src/core/text/json-values.ts';

test.each([
  ['{"a":[1]}', { a: [1] }, true],
  ['[]', [], false],
  ['null', null, false],
  ['"text"', 'text', false],
  ['{"a":', null, false],
  ['', null, false],
])('%j is %j, an object: %j', (text, value, object) => {
  expect(parsedJson(text)).toEqual(value);
  expect(isObject(parsedJson(text))).toBe(object);
});

import { expect, test } from 'vitest';
import { typeOfValues } from '../../../src/llm/schema/nullable.ts';

test.each([
  [[1, 2], ['integer']],
  [
    [1, 2.5],
    ['integer', 'number'],
  ],
  [
    ['a', true, null],
    ['string', 'boolean', 'null'],
  ],
  [
    [[], {}],
    ['array', 'object'],
  ],
])('the values %j have the types %j', (values, types) => expect(typeOfValues(values)).toEqual(types));

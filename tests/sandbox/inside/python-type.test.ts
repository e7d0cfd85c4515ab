import { expect, test } from 'vitest';
import { allowsNone, pythonType } from '../../../src/sandbox/sdk/python-type.ts';

const OBJECT = { type: 'object', properties: { a: { type: 'string' } } };

test.each([
  [{ type: 'string' }, 'str'],
  [{ type: ['string', 'null'] }, 'str | None'],
  [{ type: ['integer', 'number', 'integer'] }, 'int | float'],
  [{ type: ['array', 'null'], items: { type: 'boolean' } }, 'list[bool] | None'],
  [{ type: 'array' }, 'list[Any]'],
  [OBJECT, 'dict[str, Any]'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'dict[str, float]'],
  [{ enum: ['a', 1, null] }, 'Literal["a", 1, None]'],
  [{ const: true }, 'Literal[True]'],
  [{ enum: [1.5] }, 'Any'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'str | None'],
  [{ oneOf: [{ type: 'string' }, {}] }, 'Any'],
  [{ $ref: '#/$defs/name' }, 'int'],
  [{ $ref: 'elsewhere' }, 'Any'],
  [true, 'Any'],
])('%j is %s', (schema, type) => {
  expect(pythonType(schema, { $defs: { name: { type: 'integer' } } })).toBe(type);
});

test('a schema that refers to itself ends in Any', () => {
  const root = { $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } } };
  expect(pythonType({ $ref: '#/$defs/list' }, root)).toMatch(/^(list\[)+Any\]+$/);
});

test.each([
  ['str | None', true],
  ['None', true],
  ['Any', true],
  ["Literal['None']", false],
  ["Literal['a', None]", true],
  ['dict[str, Any]', false],
])('%s allows None: %s', (type, allows) => {
  expect(allowsNone(type)).toBe(allows);
});

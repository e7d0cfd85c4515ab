import { expect, test } from 'vitest';
import { pythonType } from '../../src/sandbox/sdk/python-type.ts';

// Without a memory, each level of a schema multiplies the work by the number of its members: 300 to the fifth.
test.each([
  ['references to itself', { anyOf: Array.from({ length: 300 }, () => ({ $ref: '#/$defs/n' })) }],
  ['types', { type: Array.from({ length: 300 }, () => 'array'), items: { $ref: '#/$defs/n' } }],
])('the Python annotation of a schema with hundreds of %s is written at once', (_, n) => {
  const root = { $defs: { n }, properties: { a: { $ref: '#/$defs/n' } } };
  expect(pythonType(root.properties.a, root)).toMatch(/^(Any|list)/);
});

/** Schemas for the tests of the vendors' dialects. */
import fc from 'fast-check';
import type { JsonSchema } from '../../../src/llm/schema/dialect.ts';

/** An object with these properties; all of them are required unless `required` says otherwise. */
export const object = (properties: JsonSchema, required: readonly string[] = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
});

/** Objects in each other, this many levels deep. */
export function nested(levels: number): JsonSchema {
  return levels === 1 ? object({ end: { type: 'string' } }) : object({ a: nested(levels - 1) });
}

/** An object with this many properties of one schema. */
export function many(count: number, schema: JsonSchema, required?: readonly string[]): JsonSchema {
  return object(Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, schema])), required);
}

/** Any schema of an object, with keywords that vendors do and do not take. */
export function anySchema(): fc.Arbitrary<JsonSchema> {
  const { node } = fc.letrec<{ node: JsonSchema }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.record(
        { type: fc.constantFrom('string', 'integer', 'boolean'), minLength: fc.constant(2) },
        { requiredKeys: ['type'] },
      ),
      fc.record({ enum: fc.array(fc.constantFrom('a', 1, null, true), { minLength: 1 }) }),
      fc.record({
        type: fc.constant('string'),
        format: fc.constantFrom('uuid', 'made-up'),
        pattern: fc.constant('^a'),
      }),
      fc.record({ type: fc.constant('array'), items: tie('node'), minItems: fc.nat(3) }, { requiredKeys: ['type'] }),
      fc.record({ anyOf: fc.array(tie('node'), { minLength: 1, maxLength: 3 }), title: fc.constant('t') }),
      fc.record({ allOf: fc.array(tie('node'), { minLength: 1, maxLength: 2 }) }),
      fc
        .tuple(fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node')), fc.subarray(['a', 'b', 'c']))
        .map(([properties, required]) =>
          object(
            properties,
            required.filter((name) => name in properties),
          ),
        ),
    ),
  }));
  return fc
    .tuple(fc.dictionary(fc.constantFrom('x', 'y'), node), fc.subarray(['x', 'y']))
    .map(([properties, required]) =>
      object(
        properties,
        required.filter((name) => name in properties),
      ),
    );
}

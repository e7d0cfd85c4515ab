import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outcomeOfAnswer } from '../../../src/catalog/faculty/outcome-schema.ts';
import { ANTHROPIC_DIALECT, type Dialect, type JsonSchema, OPENAI_DIALECT } from '../../../src/llm/schema/dialect.ts';
import { grammarSchema } from '../../../src/llm/schema/grammar-schema.ts';
import { strictSchema } from '../../../src/llm/schema/strict-schema.ts';
import { FACULTY_TOOL_NAMES, toolSpecs, toolset } from '../../../src/tools/registry.ts';
import {
  anthropicBudgetComplaint,
  anthropicComplaint,
  openAiComplaint,
} from '../../support/model-server/strict-schemas.ts';
import { anySchema, many, nested, object } from './arbitrary-schema.ts';

const written = (schema: JsonSchema, dialect: Dialect): JsonSchema => {
  const result = strictSchema(schema, dialect);
  if ('problem' in result) throw new Error(result.problem);
  return result.schema;
};

const problem = (schema: JsonSchema, dialect: Dialect): string | null => {
  const result = strictSchema(schema, dialect);
  return 'problem' in result ? result.problem : null;
};

describe('in OpenAI’s dialect', () => {
  test.each(['^(?!/)[a-z]+$', 'a(?=b)', '(?<=a)b', '(?<!a)b'])(
    'the pattern %s looks around and only advises',
    (pattern) => {
      const schema = object({ path: { type: 'string', pattern } });
      expect(written(schema, OPENAI_DIALECT)).toMatchObject({
        properties: { path: { description: expect.stringContaining(pattern) as string } },
      });
      expect(JSON.stringify(written(schema, OPENAI_DIALECT))).not.toContain('"pattern":');
      const named = object({ path: { type: 'string', pattern: '(?<year>[0-9]+)' } });
      expect(JSON.stringify(written(named, OPENAI_DIALECT))).toContain('"pattern":');
    },
  );

  test('objects are closed, every property is required, and one that was not may be null', () => {
    const schema = object({ fixed: { type: 'boolean' }, note: { type: 'string' } }, ['fixed']);
    expect(written(schema, OPENAI_DIALECT)).toEqual({
      type: 'object',
      properties: { fixed: { type: 'boolean' }, note: { type: ['string', 'null'] } },
      required: ['fixed', 'note'],
      additionalProperties: false,
    });
  });

  test('null is added to nothing that allows it already, and a variant is there once', () => {
    const anyOf = [{ type: 'integer' }, { type: 'null' }];
    const schema = object(
      {
        a: { anyOf },
        b: { anyOf: [...anyOf, { type: 'null' }] },
        c: { oneOf: [{ type: 'string' }, { type: ['integer', 'null'] }] },
        d: { const: null },
        e: { enum: ['x', null] },
        f: { anyOf: [{ anyOf }, { type: 'string' }] },
      },
      [],
    );
    expect(written(schema, OPENAI_DIALECT)['properties']).toEqual({
      a: { anyOf },
      b: { anyOf },
      c: { anyOf: [{ type: 'string' }, { type: ['integer', 'null'] }] },
      d: { type: 'null', const: null },
      e: { type: ['string', 'null'], enum: ['x', null] },
      f: { anyOf: [{ anyOf }, { type: 'string' }] },
    });
  });

  test('null is added to enums, constants, references and variants', () => {
    const schema = {
      ...object(
        {
          colour: { enum: ['red', 'green'] },
          kind: { const: 'a' },
          part: { $ref: '#/definitions/part' },
          size: { oneOf: [{ type: 'integer' }, { type: 'string' }] },
        },
        [],
      ),
      definitions: { part: object({ name: { type: 'string' } }) },
    };
    expect(written(schema, OPENAI_DIALECT)).toMatchObject({
      properties: {
        colour: { type: ['string', 'null'], enum: ['red', 'green', null] },
        kind: { anyOf: [{ type: 'string', const: 'a' }, { type: 'null' }] },
        part: { anyOf: [{ $ref: '#/$defs/part' }, { type: 'null' }] },
        size: { anyOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }] },
      },
      $defs: { part: { additionalProperties: false } },
    });
  });

  test('keywords that it lacks become advice in the description', () => {
    const schema = object({ name: { type: 'string', minLength: 3, pattern: '^x', description: 'Who' } });
    expect(written(schema, OPENAI_DIALECT)).toMatchObject({
      properties: { name: { type: 'string', pattern: '^x', description: 'Who (minLength: 3)' } },
    });
  });

  test('variants beside a type become advice, too', () => {
    const one = object({ a: { type: 'string', anyOf: [{ minLength: 3 }, { const: 'x' }] } });
    expect(written(one, OPENAI_DIALECT)).toMatchObject({
      properties: { a: { type: 'string', description: '(anyOf: [{"minLength":3},{"const":"x"}])' } },
    });
  });

  test('a schema may refer to itself', () => {
    const schema = object({ children: { type: 'array', items: { $ref: '#' } } });
    expect(problem(schema, OPENAI_DIALECT)).toBeNull();
  });

  test.each<[string, JsonSchema]>([
    ['its outermost "type" must be "object"', { anyOf: [object({}), object({})] }],
    ['/properties/a is an object whose keys are not all named', object({ a: { type: 'object' } })],
    [
      '/properties/a is an object whose keys are not all named',
      object({ a: { ...object({ b: { type: 'string' } }), additionalProperties: { type: 'string' } } }),
    ],
    ['/properties/a allows any value; it needs a type', object({ a: {} })],
    ['/properties/a allows any value; it needs a type', object({ a: true })],
    ['/properties/a is an array without "items"', object({ a: { type: 'array' } })],
    ['/properties/a is a tuple (prefixItems)', object({ a: { type: 'array', prefixItems: [] } })],
    ['/properties/a combines several schemas with allOf', object({ a: { allOf: [{ type: 'string' }, {}] } })],
    [
      '/properties/a combines several schemas with allOf',
      object({ a: { anyOf: [{ type: 'string' }], allOf: [{ type: 'string' }] } }),
    ],
    [
      '/properties/a has both anyOf and oneOf',
      object({ a: { anyOf: [{ type: 'string' }], oneOf: [{ type: 'string' }] } }),
    ],
    ['/properties/a refers to #/properties/b', object({ a: { $ref: '#/properties/b' }, b: { type: 'string' } })],
    ['/properties/a has an array or an object among its values', object({ a: { enum: [{ x: 1 }] } })],
    ['it has 1001 values in enums; at most 1000 are allowed', object({ a: { enum: [...Array(1001).keys()] } })],
    ['is an object more than 10 levels deep', nested(11)],
  ])('%s', (expected, schema) => {
    expect(problem(schema, OPENAI_DIALECT)).toContain(expected);
  });

  test('ten levels are fine', () => {
    expect(openAiComplaint(written(nested(10), OPENAI_DIALECT), 'x')).toBeNull();
  });
});

describe('in Anthropic’s dialect', () => {
  test('objects are closed, and what is not required stays so', () => {
    const schema = object({ fixed: { type: 'boolean' }, count: { type: 'integer', minimum: 1 } }, ['fixed']);
    expect(written(schema, ANTHROPIC_DIALECT)).toEqual({
      type: 'object',
      properties: { fixed: { type: 'boolean' }, count: { type: 'integer', description: '(minimum: 1)' } },
      required: ['fixed'],
      additionalProperties: false,
    });
  });

  test.each<[string, JsonSchema]>([
    ['the schema refers to itself', object({ children: { type: 'array', items: { $ref: '#' } } })],
    [
      '/$defs/a refers to itself',
      {
        ...object({ a: { $ref: '#/$defs/a' } }),
        $defs: { a: object({ b: { $ref: '#/$defs/b' } }), b: object({ a: { $ref: '#/$defs/a' } }) },
      },
    ],
    ['it has 25 properties that are not required; at most 24 are allowed', many(25, { type: 'string' }, [])],
    ['it has 17 values of more than one type; at most 16 are allowed', many(17, { type: ['string', 'null'] })],
  ])('%s', (expected, schema) => {
    expect(problem(schema, ANTHROPIC_DIALECT)).toContain(expected);
  });
});

test('what animus’s own tools say is taken by both vendors', () => {
  const specs = toolSpecs(toolset(FACULTY_TOOL_NAMES));
  for (const { name, inputSchema } of specs) {
    expect(openAiComplaint(written(inputSchema, OPENAI_DIALECT), name)).toBeNull();
    expect(anthropicComplaint(written(inputSchema, ANTHROPIC_DIALECT), name)).toBeNull();
  }
});

test('the schemas of the faculties that animus ships are taken by both vendors', () => {
  const directory = new URL('../../../faculties/schemas/', import.meta.url);
  const files = readdirSync(directory);
  expect(files.length).toBeGreaterThan(2);
  for (const file of files) {
    const schema = JSON.parse(readFileSync(new URL(file, directory), 'utf8')) as JsonSchema;
    expect(openAiComplaint(written(schema, OPENAI_DIALECT), file)).toBeNull();
    expect(anthropicComplaint(written(schema, ANTHROPIC_DIALECT), file)).toBeNull();
  }
});

test('whatever can be written is taken by the vendor, and what conforms to it has the structure of the original', () => {
  fc.assert(
    fc.property(anySchema(), (schema) => {
      const openai = strictSchema(schema, OPENAI_DIALECT);
      if ('schema' in openai) expect(openAiComplaint(openai.schema, 'x')).toBeNull();
      const anthropic = strictSchema(schema, ANTHROPIC_DIALECT);
      if ('schema' in anthropic) {
        expect(anthropicComplaint(anthropic.schema, 'x')).toBeNull();
        expect(anthropicBudgetComplaint(anthropic.schema, [])).toBeNull();
      }
      expect(strictSchema(structuredClone(schema), OPENAI_DIALECT)).toEqual(openai);
    }),
    { numRuns: 300 },
  );
});

test('null for a property that may be left out counts as left out; a null that is allowed stays', async () => {
  const schema = object(
    { a: { type: 'string' }, b: { type: ['string', 'null'] }, 'c/d': object({ e: { enum: [1] } }, []) },
    ['b'],
  );
  const answered = { a: null, b: null, 'c/d': { e: null } };
  expect(await outcomeOfAnswer(schema, answered)).toEqual({ outcome: { b: null, 'c/d': {} }, problems: [] });
  expect((await outcomeOfAnswer(schema, { b: 1 })).problems).toEqual(['/b must be string,null']);
  expect((await outcomeOfAnswer(object({ a: { type: 'string' } }), { a: null })).problems).toEqual([
    "the object must have required property 'a'",
  ]);
});

test('for a grammar, patterns without both anchors are left out, and data is not touched', () => {
  const schema = object({
    a: { type: 'string', pattern: '^x$' },
    b: { type: 'string', pattern: 'x', default: { pattern: 'y' } },
    pattern: { type: 'string' },
  });
  expect(grammarSchema(schema)).toEqual(
    object({
      a: { type: 'string', pattern: '^x$' },
      b: { type: 'string', default: { pattern: 'y' } },
      pattern: { type: 'string' },
    }),
  );
});

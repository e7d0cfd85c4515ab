/** The schemas of fields. Loaded by what answers requests, not by commands. */
import { z } from 'zod';
import type { Field, Fields } from './fields.ts';
import * as schemas from './schemas.ts';
import { id, submitted, timeIn, words } from './schemas.ts';

/** A query has texts, a body values. */
export type Place = 'query' | 'body';

/** An object with these fields and no others. `check` returns what is wrong with them together, or null. */
export function objectOf(fields: Fields, place: Place, check?: (input: never) => string | null): z.ZodObject {
  const object = z.strictObject(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field, place)])),
  );
  if (check === undefined) return object;
  return object.superRefine((input, context) => {
    const wrong = check(input as never);
    if (wrong !== null) context.addIssue({ code: 'custom', message: wrong });
  });
}

/** The schema of one value. */
export function fieldSchema(field: Field, place: Place = 'body'): z.ZodType {
  const { description, optional = false } = field;
  const bare = bareSchema(field, place);
  const there = field.default === undefined ? bare : bare.default(field.default as never);
  const schema = optional ? there.optional() : there;
  return description === undefined ? schema : schema.describe(description);
}

function bareSchema(field: Field, place: Place): z.ZodType {
  switch (field.kind) {
    case 'id':
      return id();
    case 'text': {
      const { pattern, expected, min, max } = field;
      let schema = z.string();
      if (pattern) schema = schema.regex(pattern, expected === undefined ? undefined : `expected ${expected}`);
      if (min !== undefined) schema = schema.min(min);
      return max === undefined ? schema : schema.max(max);
    }
    case 'whole':
      return (place === 'query' ? z.coerce.number().int() : z.int()).min(field.min).max(field.max);
    case 'number':
      return (place === 'query' ? z.coerce.number() : z.number()).min(field.min).max(field.max);
    case 'flag':
      return place === 'query' ? z.stringbool() : z.boolean();
    case 'span':
      return z.union([z.int().min(1), z.literal('never')]);
    case 'time':
      return timeIn().transform((text) => new Date(text));
    case 'choice':
      return words(field);
    case 'list': {
      const { of, min, max } = field;
      let schema = z.array(fieldSchema(of, place));
      if (min !== undefined) schema = schema.min(min);
      if (max !== undefined) schema = schema.max(max);
      // A query has the values with commas between them.
      return place === 'query'
        ? z.preprocess((given) => (typeof given === 'string' ? given.split(',') : given), schema)
        : schema;
    }
    case 'json':
      return submitted(field.object ? schemas.jsonObject() : schemas.json());
    case 'other':
      return field.schema(schemas);
  }
}

import { ANTHROPIC_DIALECT, type JsonSchema } from '../schema/dialect.ts';
import { type StrictSchema, strictSchema } from '../schema/strict-schema.ts';

/** The schema of an answer in the form that the Messages API accepts. */
export function anthropicSchema(schema: JsonSchema): StrictSchema {
  return strictSchema(schema, ANTHROPIC_DIALECT);
}

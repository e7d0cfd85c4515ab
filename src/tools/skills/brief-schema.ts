/** Schemas as the model gets them of the tools for skills, which are in nearly every request. */
import { z } from 'zod';

/** What `input` itself checks; its messages say what was expected. */
const LEFT_OUT = [
  'description',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'additionalProperties',
] as const;

export interface BriefWords {
  /** What the model cannot guess of a field, by its name. */
  readonly words?: Readonly<Record<string, string>>;
  /** Lists of objects whose fields another tool of the same request shows. */
  readonly asElsewhere?: readonly string[];
}

/**
 * The JSON Schema of an input without limits, and with these words in place of its descriptions, which are for people (docs/tools.md). A definition is
 * paid for in every request, whether the tool is called or not; a call that breaks a rule gets an error result that names the rule.
 */
export function briefSchema(
  input: z.ZodType,
  { words = {}, asElsewhere = [] }: BriefWords = {},
): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema, path }) => {
      for (const keyword of LEFT_OUT) delete jsonSchema[keyword];
      const [, name, ...inner] = path;
      if (typeof name !== 'string') return;
      if (inner.length > 0) delete jsonSchema.required;
      else if (words[name] !== undefined) jsonSchema.description = words[name];
      if (inner.length > 0 && asElsewhere.includes(name)) delete jsonSchema.properties;
    },
  });
  return schema;
}

/** Schemas of tools as the model gets them. A definition is paid for in every request, whether the tool is called or not. */
import { z } from 'zod';

/** What `input` itself checks, and a model seldom meets: an error result names the rule. */
const CHECKED = ['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'minimum', 'exclusiveMinimum'] as const;
/** A larger maximum only says that the number has some bound. */
const LARGEST_SAID = 1_000_000;

/** The JSON Schema of an input without the limits that only its check needs; `words`: as a tool has them. */
export function toolSchema(
  input: z.ZodType,
  words?: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  return written(input, ({ jsonSchema, path }) => {
    if (words) delete jsonSchema.description;
    const word = path.length === 2 ? words?.[String(path[1])] : undefined;
    if (word !== undefined) jsonSchema.description = word;
    if ((jsonSchema.maximum ?? 0) >= LARGEST_SAID) delete jsonSchema.maximum;
    // An object without any field has to say that it takes none.
    const isClosed = jsonSchema.additionalProperties === false && Object.keys(jsonSchema.properties ?? {}).length > 0;
    if (isClosed) delete jsonSchema.additionalProperties;
  });
}

export interface BriefWords {
  /** What the model cannot guess of a field, by its name. */
  readonly words?: Readonly<Record<string, string>>;
  /** Lists of objects whose fields another tool of the same request shows. */
  readonly asElsewhere?: readonly string[];
}

/**
 * For the tools for skills, which are in nearly every request: without any limit, and with these words in place of the descriptions, which are for people
 * (docs/tools.md).
 */
export function briefSchema(
  input: z.ZodType,
  { words = {}, asElsewhere = [] }: BriefWords = {},
): Readonly<Record<string, unknown>> {
  return written(input, ({ jsonSchema, path }) => {
    for (const keyword of ['description', 'maximum', 'additionalProperties'] as const) delete jsonSchema[keyword];
    const [, name, ...inner] = path;
    if (typeof name !== 'string') return;
    if (inner.length > 0) delete jsonSchema.required;
    else if (words[name] !== undefined) jsonSchema.description = words[name];
    if (inner.length > 0 && asElsewhere.includes(name)) delete jsonSchema.properties;
  });
}

function written(
  input: z.ZodType,
  shorten: NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>,
): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: (place) => {
      for (const keyword of CHECKED) delete place.jsonSchema[keyword];
      shorten(place);
    },
  });
  return schema;
}

/** Checks inputs against the JSON Schema of an MCP server. */
import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { z } from 'zod';

type JsonObject = Readonly<Record<string, unknown>>;

/** Why a schema cannot be used: one clause; null if it can. */
export function schemaProblem(schema: JsonObject): string | null {
  try {
    compile(schema);
    return null;
  } catch (error) {
    return `is not valid: ${(error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 300)}`;
  }
}

/** The input of a tool: an object that conforms to the schema. Compiled at the first call. */
export function inputOf(schema: JsonObject): z.ZodType<JsonObject> {
  let validate: ValidateFunction | undefined;
  return z.record(z.string(), z.unknown()).check((context) => {
    validate ??= compile(schema);
    if (validate(context.value)) return;
    for (const { path, message } of (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(issueOf)) {
      context.issues.push({ code: 'custom', input: context.value, path: [...path], message });
    }
  });
}

const MAX_PROBLEMS = 20;

function issueOf({ instancePath, message = 'is invalid', keyword, params }: ErrorObject) {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { additionalProperty } = params as { additionalProperty?: string };
  const more = keyword === 'additionalProperties' ? `: ${JSON.stringify(additionalProperty)}` : '';
  // The path of a null that stands for a property that was left out.
  return {
    path: additionalProperty === undefined ? path : [...path, additionalProperty],
    message: `${message}${more}`,
  };
}

/**
 * A server's regular expressions are not run: they could take for ever. The server checks its input itself. Unknown keywords and
 * formats are ignored.
 */
function compile(schema: JsonObject): ValidateFunction {
  const ajv = new (validator())({
    allErrors: true,
    strict: false,
    validateFormats: false,
    logger: false,
    code: { regExp: ANY_TEXT },
  });
  return ajv.compile(withoutPatterns(schema) as object);
}

const ANY_TEXT = Object.assign(() => ({ test: () => true }), { code: 'anyText' });

/** With expressions that match everything, `patternProperties` would hold every property to its schemas. */
function withoutPatterns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPatterns);
  if (typeof value !== 'object' || value === null) return value;
  const { patternProperties, ...rest } = value as Record<string, unknown>;
  const closed = patternProperties !== undefined && rest['additionalProperties'] === false;
  const kept = Object.entries(rest).filter(([key]) => !(closed && key === 'additionalProperties'));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutPatterns(inner)]));
}

/** Loaded with the first schema, because loading ajv takes a tenth of a second. */
function validator(): typeof Ajv2020 {
  const module = createRequire(import.meta.url)('ajv/dist/2020.js') as { readonly Ajv2020: typeof Ajv2020 };
  return module.Ajv2020;
}

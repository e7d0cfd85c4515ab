/** The JSON Schema (draft 2020-12) that a faculty may require of its outcome. */
import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { withoutNulls } from '../../core/text/left-out.ts';

/** A schema as written: plain JSON, kept with the focus. */
export type OutcomeSchema = Readonly<Record<string, unknown>>;

/** The most problems reported for one value; more would not help a model to fix it. */
const MAX_PROBLEMS = 20;

/** Parses the text of a schema file; the problem is one line. Only references within the file resolve: nothing is fetched. */
export function parseOutcomeSchema(text: string): { readonly schema: OutcomeSchema } | { readonly problem: string } {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    return { problem: `is not valid JSON: ${(error as Error).message}` };
  }
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) {
    return { problem: 'is not a JSON Schema: expected an object' };
  }
  try {
    compile(schema as OutcomeSchema);
    return { schema: schema as OutcomeSchema };
  } catch (error) {
    return { problem: `is not a JSON Schema of draft 2020-12: ${(error as Error).message.replaceAll(/\s+/g, ' ')}` };
  }
}

/** Validates the value: the problems, one line each, at most 20; empty if it conforms. */
export function outcomeProblems(schema: OutcomeSchema, value: unknown): string[] {
  const validate = compile(schema);
  if (validate(value)) return [];
  const problems = [...new Set((validate.errors ?? []).map(problemOf))];
  const more = problems.length - MAX_PROBLEMS;
  return more <= 0 ? problems : [...problems.slice(0, MAX_PROBLEMS), `… and ${more} more`];
}

/**
 * The value that is checked and stored: properties whose null the schema does not allow are left out, because a provider that makes an
 * answer conform to a schema may demand that every property is named.
 */
export function outcomeValue(schema: OutcomeSchema, value: OutcomeSchema): OutcomeSchema {
  const validate = compile(schema);
  if (validate(value)) return value;
  const paths = (validate.errors ?? []).map(({ instancePath }) => instancePath.split('/').slice(1).map(stepOf));
  return (withoutNulls(value, paths) as OutcomeSchema | null) ?? value;
}

/** A step of a JSON pointer. */
function stepOf(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function problemOf({ instancePath, message, keyword, params }: ErrorObject): string {
  const where = instancePath === '' ? 'the object' : instancePath;
  const facts = params as { additionalProperty?: string; allowedValues?: unknown; allowedValue?: unknown };
  switch (keyword) {
    case 'additionalProperties':
      return `${where} must not have the property ${JSON.stringify(facts.additionalProperty)}`;
    case 'enum':
      return `${where} must be one of ${JSON.stringify(facts.allowedValues)}`;
    case 'const':
      return `${where} must be ${JSON.stringify(facts.allowedValue)}`;
    default:
      return `${where} ${message ?? `does not satisfy ${keyword}`}`;
  }
}

/** In this draft formats are annotations, so an unknown format is not an error. An unknown keyword is a mistake. */
function compile(schema: OutcomeSchema): ValidateFunction {
  const ajv = new (validator())({
    allErrors: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    validateFormats: false,
    logger: false,
  });
  return ajv.compile(schema as object);
}

/** Loaded with the first schema: every command reads the catalog, and loading ajv takes a tenth of a second. */
function validator(): typeof Ajv2020 {
  const module = createRequire(import.meta.url)('ajv/dist/2020.js') as { readonly Ajv2020: typeof Ajv2020 };
  return module.Ajv2020;
}

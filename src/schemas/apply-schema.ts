/** Compiles JSON Schemas of draft 2020-12 and applies them. Runs only in the process of `schema-worker.ts`: either can take forever. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema, SchemaAnswer, SchemaFault, SchemaRequest, SchemaRules } from './schema-check.ts';

const MAX_FAULTS = 500;
const MAX_MESSAGE_CHARS = 500;
/** Of the schemas that stay compiled, in characters. A compiled schema takes some thirty times as much memory. */
const MAX_KEPT_CHARS = 2 ** 20;

/** Answers one request; compiled schemas are kept for the next ones. */
export function createApplier(): (request: SchemaRequest) => SchemaAnswer {
  // Here, and not in the time of the first check.
  void metaSchema.validateSchema({});
  const kept = new Map<string, ValidateFunction>();
  let chars = 0;
  return ({ rules, schema, value }) => {
    const key = `${rules} ${schema}`;
    let validate = kept.get(key);
    if (validate === undefined) {
      const compiled = compile(schema, rules);
      if (typeof compiled === 'string') return { kind: 'unusable', problem: compiled };
      validate = compiled;
      chars += key.length;
      for (const [oldest] of kept) {
        if (chars <= MAX_KEPT_CHARS) break;
        kept.delete(oldest);
        chars -= oldest.length;
      }
    } else kept.delete(key);
    // The one that was used last is the last to go.
    kept.set(key, validate);
    return value === null ? { kind: 'conforms' } : answerOf(validate, JSON.parse(value));
  };
}

function answerOf(validate: ValidateFunction, value: unknown): SchemaAnswer {
  if (validate(value)) return { kind: 'conforms' };
  return { kind: 'faults', faults: (validate.errors ?? []).slice(0, MAX_FAULTS).map(faultOf) };
}

const COMMON = { allErrors: true, validateFormats: false, logger: false } as const;
// Made once: compiling the schema of schemas takes a tenth of a second. `validateSchema` of other instances would do it again.
const metaSchema = new Ajv2020({ ...COMMON, strict: false });

/** The function, or why there is none: one line. */
function compile(text: string, rules: SchemaRules): ValidateFunction | string {
  try {
    const written = JSON.parse(text) as JsonSchema;
    const schema = rules === 'tool' ? (withoutPatterns(written) as JsonSchema) : written;
    void metaSchema.validateSchema(schema, true);
    return new Ajv2020({ ...COMMON, ...OPTIONS[rules], validateSchema: false }).compile(schema);
  } catch (error) {
    return (error as Error).message.replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE_CHARS);
  }
}

const ANY_TEXT = Object.assign(() => ({ test: () => true }), { code: 'anyText' });

const OPTIONS = {
  tool: { strict: false, code: { regExp: ANY_TEXT } },
  outcome: { strictTypes: false, strictTuples: false, strictRequired: false },
} as const;

/** With expressions that match everything, `patternProperties` would hold every property to its schemas. */
function withoutPatterns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPatterns);
  if (typeof value !== 'object' || value === null) return value;
  const { patternProperties, ...rest } = value as Record<string, unknown>;
  const closed = patternProperties !== undefined && rest['additionalProperties'] === false;
  const kept = Object.entries(rest).filter(([key]) => !(closed && key === 'additionalProperties'));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutPatterns(inner)]));
}

function faultOf(error: ErrorObject): SchemaFault {
  const steps = error.instancePath.split('/').slice(1);
  const { additionalProperty = null } = error.params as { additionalProperty?: string };
  return {
    path: steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
    property: additionalProperty,
    message: messageOf(error).slice(0, MAX_MESSAGE_CHARS),
  };
}

function messageOf({ message, keyword, params }: ErrorObject): string {
  const facts = params as { additionalProperty?: string; allowedValues?: unknown; allowedValue?: unknown };
  switch (keyword) {
    case 'additionalProperties':
      return `must not have the property ${JSON.stringify(facts.additionalProperty)}`;
    case 'enum':
      return `must be one of ${JSON.stringify(facts.allowedValues)}`;
    case 'const':
      return `must be ${JSON.stringify(facts.allowedValue)}`;
    default:
      return message ?? `does not satisfy ${keyword}`;
  }
}

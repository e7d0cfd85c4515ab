/** The JSON Schema (draft 2020-12) that a faculty may require of its outcome. */
import { textBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../../core/text/json-limits.ts';
import { withoutNulls } from '../../core/text/left-out.ts';
import { checkBySchema } from '../../schemas/check-schema.ts';
import type { SchemaAnswer, SchemaFault } from '../../schemas/schema-check.ts';

/** A schema as written: plain JSON, kept with the focus. */
export type OutcomeSchema = Readonly<Record<string, unknown>>;

/** The most problems reported for one value; more would not help a model to fix it. */
const MAX_PROBLEMS = 20;

/** Parses the text of a schema file; the problem is one line. Whether it is a schema, `outcomeSchemaProblem` says. */
export function parseOutcomeSchema(text: string): { readonly schema: OutcomeSchema } | { readonly problem: string } {
  const beyond = textBeyond(text, JSON_LIMITS.outcomeSchema);
  if (beyond !== null) return { problem: `is too large for a JSON Schema: ${beyond}` };
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    return { problem: `is not valid JSON: ${(error as Error).message}` };
  }
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) {
    return { problem: 'is not a JSON Schema: expected an object' };
  }
  return { schema: schema as OutcomeSchema };
}

/** Why it cannot be used, one line; null if it can. Only references within the file resolve: nothing is fetched. */
export async function outcomeSchemaProblem(schema: OutcomeSchema): Promise<string | null> {
  const checked = await checkBySchema('outcome', schema);
  switch (checked.kind) {
    case 'conforms':
    case 'faults':
      return null;
    case 'unusable':
      return `is not a JSON Schema of draft 2020-12: ${checked.problem}`;
    case 'exceeded':
      return `cannot be used: ${checked.problem}`;
    default:
      return checked satisfies never;
  }
}

/** Validates the value: the problems, one line each, at most 20; empty if it conforms. */
export async function outcomeProblems(schema: OutcomeSchema, value: unknown): Promise<readonly string[]> {
  return problemsIn(await checkBySchema('outcome', schema, value));
}

/**
 * The value to store, and its problems. Properties whose null the schema does not allow are left out, because a provider that makes an
 * answer conform to a schema may demand that every property is named.
 */
export async function outcomeOfAnswer(
  schema: OutcomeSchema,
  value: OutcomeSchema,
): Promise<{ readonly outcome: OutcomeSchema; readonly problems: readonly string[] }> {
  const checked = await checkBySchema('outcome', schema, value);
  const paths = checked.kind === 'faults' ? checked.faults.map(({ path }) => path) : [];
  const fewer = paths.length > 0 ? (withoutNulls(value, paths) as OutcomeSchema | null) : null;
  if (fewer === null) return { outcome: value, problems: problemsIn(checked) };
  return { outcome: fewer, problems: await outcomeProblems(schema, fewer) };
}

function problemsIn(checked: SchemaAnswer): readonly string[] {
  if (checked.kind === 'conforms') return [];
  if (checked.kind !== 'faults') return [checked.problem];
  const problems = [...new Set(checked.faults.map(problemOf))];
  const more = problems.length - MAX_PROBLEMS;
  return more <= 0 ? problems : [...problems.slice(0, MAX_PROBLEMS), `… and ${more} more`];
}

function problemOf({ path, message }: SchemaFault): string {
  const steps = path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  return `${path.length === 0 ? 'the object' : steps.join('')} ${message}`;
}

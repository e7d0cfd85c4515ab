/** Checks inputs against the JSON Schema of an MCP server. */
import { z } from 'zod';
import { isObject } from '../../core/text/json-values.ts';
import { checkBySchema } from '../../schemas/check-schema.ts';
import type { SchemaAnswer, SchemaFault } from '../../schemas/schema-check.ts';
import type { JsonObject } from './tool-definition.ts';

/** Why a schema cannot be used: one clause; null if it can. */
export async function schemaProblem(schema: JsonObject): Promise<string | null> {
  const checked = await checkBySchema('tool', schema);
  switch (checked.kind) {
    case 'conforms':
    case 'faults':
      return null;
    case 'unusable':
      return `is not valid: ${checked.problem.slice(0, 300)}`;
    case 'exceeded':
      return `cannot be used: ${checked.problem}`;
    default:
      return checked satisfies never;
  }
}

/** The input of a tool: an object that conforms to the schema. The check waits for another process. */
export function inputOf(schema: JsonObject): z.ZodType<JsonObject> {
  return z.custom<JsonObject>(isObject, 'expected an object').check(async (context) => {
    if (!isObject(context.value)) return;
    for (const { path, message } of issuesIn(await checkBySchema('tool', schema, context.value))) {
      context.issues.push({ code: 'custom', input: context.value, path: [...path], message });
    }
  });
}

const MAX_PROBLEMS = 20;

function issuesIn(checked: SchemaAnswer): readonly Pick<SchemaFault, 'path' | 'message'>[] {
  if (checked.kind === 'conforms') return [];
  if (checked.kind !== 'faults') return [{ path: [], message: checked.problem }];
  // With the path of a null that stands for a property that was left out.
  return checked.faults.slice(0, MAX_PROBLEMS).map(({ path, property, message }) => ({
    path: property === null ? path : [...path, property],
    message,
  }));
}

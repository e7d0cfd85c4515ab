/** Checks the arguments of a call, before anything runs. */
import { AnimusError } from '../../core/errors/errors.ts';
import { schemaProblems } from '../../core/errors/schema-problems.ts';
import type { McpTool } from './tool.ts';

/** As in a body of the API: the database refuses deeper values, too. */
const MAX_DEPTH = 100;

/** The arguments by the tool's schema. Errors: `http.invalid`, which names each key that is wrong. */
export function checkArguments({ input }: McpTool, given: unknown): Record<string, unknown> {
  checkValue(given, 0);
  const result = input.safeParse(given);
  if (result.success) return result.data;
  throw invalid(schemaProblems(result.error, (path) => path || 'arguments'));
}

/** Refuses what JSON allows and the database does not. */
function checkValue(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw invalid(`the arguments are nested more than ${MAX_DEPTH} levels deep`);
  if (typeof value === 'string' && value.includes('\0')) throw invalid('the arguments contain the character NUL');
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) {
    checkValue(key, depth + 1);
    checkValue(inner, depth + 1);
  }
}

function invalid(detail: string): AnimusError {
  return new AnimusError('http.invalid', { detail });
}

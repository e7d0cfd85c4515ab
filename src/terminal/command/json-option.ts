/** Options that take JSON. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, usageError } from '../../core/errors/errors.ts';
import { isObject } from '../../core/text/json-values.ts';

/** JSON given directly, or as `@file`. */
export function jsonOf(option: string, given: string, cwd: string): unknown {
  const file = given.startsWith('@') ? resolve(cwd, given.slice(1)) : null;
  try {
    return JSON.parse(file === null ? given : readFileSync(file, 'utf8'));
  } catch (error) {
    const detail = `${option}${file === null ? '' : ` (${file})`}: expected JSON: ${messageOf(error)}`;
    throw usageError(detail, error);
  }
}

/** The same, for a JSON object only. */
export function jsonObject(option: string, value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw usageError(`${option}: expected a JSON object, got ${JSON.stringify(value)}`);
}

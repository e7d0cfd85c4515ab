/** Reads JSON of unknown shape: providers add fields, send null for missing values, and numbers as strings. */
import { type JsonLimits, textBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../../core/text/json-limits.ts';
import { isObject } from '../../core/text/json-values.ts';

/** A JSON object before anything is known about its fields. */
export type Loose = Readonly<Record<string, unknown>>;

/** The value if it is a JSON object, else null. */
export function asObject(value: unknown): Loose | null {
  return isObject(value) ? value : null;
}

/** The value if it is a string, else null. */
export function asString(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The value if it is a finite number, else null. */
export function asNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The value if it is an array, else an empty array. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NONE;
}

/** The objects in an array; none if the value is not an array. */
export function asObjects(value: unknown): readonly Loose[] {
  return asArray(value)
    .map(asObject)
    .filter((each) => each !== null);
}

/** One for all: every event of a stream asks for several arrays, and has none of them. */
const NONE: readonly unknown[] = Object.freeze([]);

/**
 * The parsed text, or undefined if it is not JSON (`null` is JSON), or exceeds the limits, by default those of `providerJson`. The text is
 * counted before it is parsed.
 */
export function parseJson(text: string, limits: JsonLimits = JSON_LIMITS.providerJson): unknown {
  return textBeyond(text, limits) === null ? parseCounted(text) : undefined;
}

/** The same of a text that was counted. */
export function parseCounted(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

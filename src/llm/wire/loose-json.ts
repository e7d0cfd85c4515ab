/** Reads JSON of unknown shape: providers add fields, send null for missing values, and numbers as strings. */

/** A JSON object before anything is known about its fields. */
export type Loose = Readonly<Record<string, unknown>>;

/** The value if it is a JSON object, else null. */
export function asObject(value: unknown): Loose | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : null;
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

/** One for all: every event of a stream asks for several arrays, and has none of them. */
const NONE: readonly unknown[] = Object.freeze([]);

/**
 * The parsed text, or undefined if it is not JSON (`null` is JSON), or is nested too deep to be used: JSON.parse takes a
 * second for a million levels, and JSON.stringify fails at a few thousand.
 */
export function parseJson(text: string): unknown {
  if (isNestedTooDeep(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** More than any protocol needs, and few enough for everything that reads or writes JSON, Postgres included. */
export const MAX_LEVELS = 1000;

/** True if a JSON text opens more than 1,000 objects and arrays inside each other. Reads it once, without parsing. */
export function isNestedTooDeep(text: string): boolean {
  // Most events of a stream are shorter than so many brackets.
  if (text.length <= MAX_LEVELS) return false;
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        level += 1;
        if (level > MAX_LEVELS) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        level -= 1;
        break;
      default:
    }
  }
  return false;
}

/**
 * The index of the quote that ends the string that begins at `start`; the length of the text without one. Long strings, such
 * as the whole text at the end of an answer, are searched by V8's own search, which is ten times as fast as a loop.
 */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at === -1 ? text.length : at;
}

/** True for a quote after an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === 0x5c) before -= 1;
  return (at - before) % 2 === 0;
}

/** True if objects and arrays are nested more than `levels` deep. Not recursive, because it must survive any depth. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let layer = [value];
  for (let level = 0; level <= levels; level++) {
    layer = layer.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (layer.length === 0) return false;
  }
  return true;
}

/** JSON objects that are embedded in other text. Pure. */
import { textBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../../core/text/json-limits.ts';
import { parsedJson } from '../../core/text/json-values.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** The number of braces at which an object is looked for. */
const MAX_STARTS = 20;

/** The number of characters that are read for that in all: braces that nothing closes are read to the end of the text, each of them. */
const MAX_READ = 2 * JSON_LIMITS.outcome.bytes;

/** The whole JSON objects in a text that are in no other one, from the first on, each different one once. At most 20 places where a brace may begin one are tried. */
export function objectsInText(text: string): readonly JsonObject[] {
  const found = new Map<string, JsonObject>();
  let left = MAX_READ;
  let at = text.indexOf('{');
  for (let starts = 0; at !== -1 && starts < MAX_STARTS && left > 0; starts++) {
    const { closed, end } = endOfObject(text, at, Math.min(text.length, at + left));
    left -= end - at;
    const object = closed ? parsed(text.slice(at, end)) : null;
    if (object !== null) found.set(JSON.stringify(object), object);
    at = text.indexOf('{', object === null ? at + 1 : end);
  }
  return [...found.values()];
}

/** The place after the brace that closes the one at `start`, or where looking for it ended: at `until`, or deeper than an outcome may be. */
function endOfObject(text: string, start: number, until: number): { readonly closed: boolean; readonly end: number } {
  let depth = 0;
  let isString = false;
  for (let at = start; at < until; at++) {
    const char = text[at];
    if (isString) {
      if (char === '\\') at++;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '{' && ++depth > JSON_LIMITS.outcome.depth) return { closed: false, end: at };
    else if (char === '}' && --depth === 0) return { closed: true, end: at + 1 };
  }
  return { closed: false, end: until };
}

function parsed(json: string): JsonObject | null {
  if (textBeyond(json, JSON_LIMITS.outcome) !== null) return null;
  return parsedJson(json) as JsonObject | null;
}

/** JSON objects that stand in a text with other words. Pure. */
import { textBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../../core/text/json-limits.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** The number of braces at which an object is looked for: each may cost a pass over the text. */
const MAX_STARTS = 20;

/** The whole JSON objects in a text that are in no other one, from the first on, each different one once. Braces that begin none count, too: at most 20. */
export function objectsInText(text: string): readonly JsonObject[] {
  const found = new Map<string, JsonObject>();
  let at = text.indexOf('{');
  for (let starts = 0; at !== -1 && starts < MAX_STARTS; starts++) {
    const end = endOfObject(text, at);
    const object = end === null ? null : parsed(text.slice(at, end));
    if (object !== null) found.set(JSON.stringify(object), object);
    at = text.indexOf('{', object === null ? at + 1 : end!);
  }
  return [...found.values()];
}

/** The place after the brace that closes the one at `start`; null if none does. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let isString = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (isString) {
      if (char === '\\') at++;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '{') depth++;
    else if (char === '}' && --depth === 0) return at + 1;
  }
  return null;
}

function parsed(json: string): JsonObject | null {
  if (textBeyond(json, JSON_LIMITS.outcome) !== null) return null;
  try {
    return JSON.parse(json) as JsonObject;
  } catch {
    return null;
  }
}

/** Parses the JSON of a request, and refuses what programs understand differently or would change silently. */
import { AnimusError } from '../../core/errors/errors.ts';
import { endOfString, textBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../../core/text/json-limits.ts';

/**
 * Checks the text of a body before it is parsed. Errors: `http.invalid` for values beyond the limits of `httpBody`, for keys that an object
 * has twice, and the key `__proto__`.
 */
export function checkJson(json: string): void {
  const beyond = textBeyond(json, JSON_LIMITS.httpBody);
  if (beyond !== null) throw invalid(`the body is too large: ${beyond}`);
  checkKeys(json);
}

/**
 * The value of a body that was checked. Errors: `http.invalid` for text that is not JSON, the character NUL, which the database refuses, whole
 * numbers that are not exact in double precision, and halves of surrogate pairs.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, checkValue);
  } catch (error) {
    if (error instanceof AnimusError) throw error;
    throw invalid(text === '' ? 'the body is empty' : 'the body is not JSON');
  }
}

const NUL = 'the body contains the character NUL';

/** What is open around a place: the keys of an object so far, or null for an array. */
type Open = Set<string> | null;

/** Goes through text that may be no JSON. A regular expression overflows the stack at a string of some megabytes. */
function checkKeys(json: string): void {
  const open: Open[] = [];
  let atKey = false;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(json, at);
        const keys = open.at(-1);
        if (atKey && keys) addKey(keys, json.slice(at, end + 1));
        atKey = false;
        at = end;
        break;
      }
      case 0x7b: // {
        open.push(new Set());
        atKey = true;
        break;
      case 0x5b: // [
        open.push(null);
        atKey = false;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        open.pop();
        break;
      case 0x2c: // ,
        atKey = open.at(-1) !== null;
        break;
      default:
    }
  }
}

function addKey(keys: Set<string>, literal: string): void {
  const key = decoded(literal);
  if (key.includes('\0')) throw invalid(NUL);
  if (key === '__proto__') throw invalid('the key __proto__ is not allowed');
  if (!key.isWellFormed()) throw invalid('a key contains half of a surrogate pair');
  if (keys.has(key)) throw invalid(`the key ${JSON.stringify(key.slice(0, 100))} appears more than once`);
  keys.add(key);
}

/** A wrong one is refused when the body is parsed. */
function decoded(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

/** `source`: how the value is written; absent for arrays and objects. */
function checkValue(this: unknown, _key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value === 'string' && value.includes('\0')) throw invalid(NUL);
  if (typeof value === 'string' && !value.isWellFormed()) throw invalid('a text contains half of a surrogate pair');
  if (
    typeof value === 'number' &&
    (!Number.isFinite(value) || (/^-?\d+$/.test(source) && !Number.isSafeInteger(value)))
  ) {
    throw invalid(`the number ${source.slice(0, 40)} is not exact in double precision: send it as a string`);
  }
  return value;
}

function invalid(detail: string): AnimusError {
  return new AnimusError('http.invalid', { detail });
}

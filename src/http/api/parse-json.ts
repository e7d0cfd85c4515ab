/** Parses the JSON of a request, and refuses what programs understand differently or would change without a word. */
import { AnimusError } from '../../core/errors/errors.ts';

/** Arrays and objects inside each other. The database refuses deeper values, too. */
const MAX_DEPTH = 100;

/**
 * The value. Errors: `http.invalid` for text that is no JSON; for values nested more than 100 levels deep and the character NUL, which the
 * database refuses; for keys that an object has twice, the key `__proto__`, whole numbers that are not exact in double precision, and
 * halves of surrogate pairs.
 */
export function parseJson(text: string): unknown {
  checkStructure(text);
  try {
    return JSON.parse(text, checkValue);
  } catch (error) {
    if (error instanceof AnimusError) throw error;
    throw invalid(text === '' ? 'the body is empty' : 'the body is not JSON');
  }
}

/** What is open around a place: the keys of an object so far, or null for an array. */
type Open = Set<string> | null;

/**
 * Goes through text that may be no JSON, one character after the other: a regular expression overflows the stack at a string of some
 * megabytes.
 */
function checkStructure(text: string): void {
  const open: Open[] = [];
  let atKey = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at + 1);
      const keys = open.at(-1);
      if (atKey && keys) addKey(keys, text.slice(at, end + 1));
      atKey = false;
      at = end;
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : null);
      atKey = character === '{';
      if (open.length > MAX_DEPTH) throw invalid(`the body is nested more than ${MAX_DEPTH} levels deep`);
    } else if (character === '}' || character === ']') open.pop();
    else if (character === ',') atKey = open.at(-1) !== null;
  }
}

/** Where the string ends that begins at `at`: at its quotation mark, or at the end of the text. */
function endOfString(text: string, at: number): number {
  for (; at < text.length && text[at] !== '"'; at++) {
    if (text[at] !== '\\') continue;
    if (text.startsWith('u0000', at + 1)) throw invalid('the body contains the character NUL');
    at++;
  }
  return at;
}

function addKey(keys: Set<string>, literal: string): void {
  const key = decoded(literal);
  if (key === '__proto__') throw invalid('the key __proto__ is not allowed');
  if (!key.isWellFormed()) throw invalid('a key contains half of a surrogate pair');
  if (keys.has(key)) throw invalid(`the key ${JSON.stringify(key.slice(0, 100))} is there twice`);
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
  if (typeof value === 'string' && !value.isWellFormed()) throw invalid('a text contains half of a surrogate pair');
  if (
    typeof value === 'number' &&
    (!Number.isFinite(value) || (/^-?\d+$/.test(source) && !Number.isSafeInteger(value)))
  ) {
    throw invalid(`the number ${source.slice(0, 40)} is not exact in double precision: send it as a text`);
  }
  return value;
}

function invalid(detail: string): AnimusError {
  return new AnimusError('http.invalid', { detail });
}

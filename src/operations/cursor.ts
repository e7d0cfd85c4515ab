/** Cursors of lists whose order has several parts: opaque to clients. */
import { AnimusError } from '../core/errors/errors.ts';
import { parsedJson } from '../core/text/json-values.ts';
import { FULL_ID } from '../core/work/id-reference.ts';
import { type Field, optional, text } from './fields.ts';

/** `after` of such a list: the `next` of the page before. */
export function cursor(): Field<string | undefined> {
  return optional(text({ min: 1, max: 1000, description: 'the `next` of the page before' }));
}

/** The id at which such a list goes on whose order is that of ids. Errors: `http.invalid`. */
export function readIdCursor(cursorText: string): string {
  if (FULL_ID.test(cursorText)) return cursorText;
  throw new AnimusError('http.invalid', { detail: 'query.after: expected an id, as in the `next` of the page before' });
}

export function writeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** What parts a cursor has. */
type PartKind = 'id' | 'int' | 'digits' | 'number' | 'time' | 'text';
type PartsOf<Kinds extends readonly PartKind[]> = {
  -readonly [Place in keyof Kinds]: Kinds[Place] extends 'int' ? number : string;
};

/** The parts; null without a cursor. Errors: `http.invalid`. */
export function readCursor<const Kinds extends readonly PartKind[]>(
  kinds: Kinds,
  cursorText: string | undefined,
): PartsOf<Kinds> | null {
  if (cursorText === undefined) return null;
  const parts = parsedJson(Buffer.from(cursorText, 'base64url').toString());
  const fits = Array.isArray(parts) && parts.length === kinds.length && kinds.every((kind, n) => IS[kind](parts[n]));
  if (fits) return parts as PartsOf<Kinds>;
  throw new AnimusError('http.invalid', { detail: 'query.after: not the `next` of a page of this list' });
}

const IS: Readonly<Record<PartKind, (part: unknown) => boolean>> = {
  id: (part) => typeof part === 'string' && FULL_ID.test(part),
  int: (part) => Number.isInteger(part) && Math.abs(part as number) < 2 ** 31,
  digits: (part) => typeof part === 'string' && /^\d{1,18}$/.test(part),
  number: (part) => typeof part === 'string' && /^-?\d{1,30}(\.\d{1,30})?$/.test(part),
  time: (part) => typeof part === 'string' && /^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(part),
  text: (part) => typeof part === 'string',
};

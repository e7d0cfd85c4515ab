/** Cursors of lists whose order has several parts: opaque to clients. */
import { AnimusError } from '../core/errors/errors.ts';
import { type Field, optional, text } from './fields.ts';

/** `after` of such a list. */
export function cursor(): Field<string | undefined> {
  return optional(text({ min: 1, max: 1000, description: 'the `next` of the page before' }));
}

export function writeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The parts as texts, if there is one of each form. Errors: `http.invalid`. */
export function readCursor(forms: readonly RegExp[], given: string): readonly string[] {
  const parts = parsed(given);
  if (Array.isArray(parts) && parts.length === forms.length) {
    const texts = parts.map((part: unknown) => (typeof part === 'number' ? String(part) : part));
    if (texts.every((part, index): part is string => typeof part === 'string' && forms[index]!.test(part)))
      return texts;
  }
  throw new AnimusError('http.invalid', { detail: 'query.after: not the `next` of a page of this list' });
}

function parsed(given: string): unknown {
  try {
    return JSON.parse(Buffer.from(given, 'base64url').toString());
  } catch {
    return null;
  }
}

/** Cursors of lists whose order has several parts: opaque to clients. */
import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';

/** `after` of such a list: the `next` of the page before. */
export const cursor = () => z.string().min(1).max(1000).describe('the `next` of the page before');

export function writeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The parts, if they have the form of the schema. Errors: `http.invalid`. */
export function readCursor<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  const result = schema.safeParse(parsed(text));
  if (result.success) return result.data;
  throw new AnimusError('http.invalid', { detail: 'query.after: not the `next` of a page of this list' });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return null;
  }
}

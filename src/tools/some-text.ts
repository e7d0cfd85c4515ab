import { z } from 'zod';

/** A field of an input: a text that is not blank, of at most so many characters without the white space around it. */
export function someText(most: number) {
  return z.string().trim().min(1).max(most);
}
